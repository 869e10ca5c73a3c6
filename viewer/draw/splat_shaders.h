// The shaders of splats: `project` turns each visible Gaussian into a splat once, `quad` draws its
// rectangle. The mathematics is that of render/gaussian/splat_math.h; a test compares pictures.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::viewer {

// Places a Gaussian's color among the harmonics of its degree; order and signs of core/math/sh.h.
inline constexpr const char* kShGlsl = R"(
uniform samplerBuffer colors;  // four halves a texel

float color_value(int base, int k) { return texelFetch(colors, base + k / 4)[k % 4]; }

vec3 color_coefficient(int base, int k) {
  int i = 3 * k;
  return vec3(color_value(base, i), color_value(base, i + 1), color_value(base, i + 2));
}

vec3 sh_color(int base, int degree, vec3 d) {
  float x = d.x, y = d.y, z = d.z;
  vec3 c = 0.5 + 0.28209479177387814 * color_coefficient(base, 0);
  if (degree < 1) return max(c, 0.0);
  c += 0.4886025119029199 * (z * color_coefficient(base, 2) - y * color_coefficient(base, 1) -
                             x * color_coefficient(base, 3));
  if (degree < 2) return max(c, 0.0);
  float xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z;
  c += 1.0925484305920792 * (xy * color_coefficient(base, 4) - yz * color_coefficient(base, 5) -
                             xz * color_coefficient(base, 7)) +
       0.31539156525252005 * (2.0 * zz - xx - yy) * color_coefficient(base, 6) +
       0.5462742152960396 * (xx - yy) * color_coefficient(base, 8);
  if (degree < 3) return max(c, 0.0);
  c += -0.5900435899266435 * (y * (3.0 * xx - yy) * color_coefficient(base, 9) +
                              x * (xx - 3.0 * yy) * color_coefficient(base, 15)) +
       2.890611442640554 * xy * z * color_coefficient(base, 10) -
       0.4570457994644658 * (4.0 * zz - xx - yy) *
           (y * color_coefficient(base, 11) + x * color_coefficient(base, 13)) +
       0.3731763325901154 * z * (2.0 * zz - 3.0 * (xx + yy)) * color_coefficient(base, 12) +
       1.445305721320277 * z * (xx - yy) * color_coefficient(base, 14);
  if (degree < 4) return max(c, 0.0);
  c += 2.5033429417967046 * xy * (xx - yy) * color_coefficient(base, 16) -
       1.7701307697799304 * yz * (3.0 * xx - yy) * color_coefficient(base, 17) +
       0.9461746957575601 * xy * (7.0 * zz - 1.0) * color_coefficient(base, 18) -
       0.6690465435572892 * (7.0 * zz - 3.0) *
           (yz * color_coefficient(base, 19) + xz * color_coefficient(base, 21)) +
       0.10578554691520431 * (zz * (35.0 * zz - 30.0) + 3.0) * color_coefficient(base, 20) +
       0.47308734787878004 * (xx - yy) * (7.0 * zz - 1.0) * color_coefficient(base, 22) -
       1.7701307697799304 * xz * (xx - 3.0 * yy) * color_coefficient(base, 23) +
       0.6258357354491761 * (xx * (xx - 3.0 * yy) - yy * (3.0 * xx - yy)) *
           color_coefficient(base, 24);
  return max(c, 0.0);
}
)";

// What is captured: place (x, y in pixels, depth of the clip space, radius in standard deviations),
// axes (two, in pixels a standard deviation), paint (color, opacity).
inline constexpr const char* kProjectGlsl = R"(
struct Item {
  mat4 camera_from_item;  // a similarity
  vec4 eye;               // the camera's center in the item; w: scale of the similarity
  ivec4 place;            // first splat, first color texel, color texels a splat, degree
};
layout(std140) uniform Items { Item items[ITEM_LIMIT]; };
uniform int item_count;
uniform samplerBuffer positions;  // x y z, opacity logit
uniform samplerBuffer shapes;     // two texels: log scales; quaternion w x y z
uniform usamplerBuffer states;
uniform vec4 focal;   // fx fy cx cy, in pixels
uniform vec4 bounds;  // of x/z and y/z in the Jacobian: min x, max x, min y, max y
uniform vec2 depth_range;  // nearest depth that is drawn; orthographic: half the depth of the clip space
uniform bool orthographic;
uniform bool antialiased;
uniform int degree_limit;
uniform int mode;
uniform vec3 selected_color;
layout(location = 0) in uint index;
out vec4 place;
out vec4 axes;
out vec4 paint;

mat3 rotation(vec4 q) {  // of w x y z
  q = normalize(q);
  float w = q.x, x = q.y, y = q.z, z = q.w;
  return mat3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y),
              2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x),
              2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y));
}

void main() {
  gl_Position = vec4(0.0);
  place = vec4(0.0);
  axes = vec4(0.0);
  paint = vec4(0.0);
  int splat = int(index);
  int i = 0;
  for (int k = 1; k < item_count; ++k) {
    if (splat >= items[k].place.x) i = k;
  }
  vec4 position = texelFetch(positions, splat);
  vec3 p = (items[i].camera_from_item * vec4(position.xyz, 1.0)).xyz;
  if (!orthographic && p.z < depth_range.x) return;

  vec3 log_scale = texelFetch(shapes, 2 * splat).xyz;
  vec4 q = texelFetch(shapes, 2 * splat + 1);
  mat3 turned = mat3(items[i].camera_from_item) * rotation(q);
  vec3 scale = exp(log_scale);
  mat3 a = mat3(turned[0] * scale.x, turned[1] * scale.y, turned[2] * scale.z);
  vec2 n = orthographic ? p.xy : p.xy / p.z;
  vec2 c = clamp(n, bounds.xz, bounds.yw);
  vec2 j = orthographic ? focal.xy : focal.xy / p.z;
  vec2 u[3];
  for (int k = 0; k < 3; ++k) u[k] = j * (orthographic ? a[k].xy : a[k].xy - c * a[k].z);
  float xx = u[0].x * u[0].x + u[1].x * u[1].x + u[2].x * u[2].x;
  float xy = u[0].x * u[0].y + u[1].x * u[1].y + u[2].x * u[2].y;
  float yy = u[0].y * u[0].y + u[1].y * u[1].y + u[2].y * u[2].y;
  float opacity = 1.0 / (1.0 + exp(-position.w));
  if (antialiased) {
    float m0 = u[0].x * u[1].y - u[0].y * u[1].x;
    float m1 = u[0].x * u[2].y - u[0].y * u[2].x;
    float m2 = u[1].x * u[2].y - u[1].y * u[2].x;
    float determinant = m0 * m0 + m1 * m1 + m2 * m2;
    opacity *= sqrt(max(0.000025, determinant / (determinant + 0.3 * (xx + yy) + 0.09)));
  }
  if (opacity < 1.0 / 255.0) return;
  xx += 0.3;
  yy += 0.3;
  float middle = 0.5 * (xx + yy), half_difference = 0.5 * (xx - yy);
  float spread = sqrt(half_difference * half_difference + xy * xy);
  float longer = middle + spread;
  float shorter = max(middle - spread, 0.0);
  vec2 along = half_difference >= 0.0 ? vec2(half_difference + spread, xy)
                                      : vec2(xy, spread - half_difference);
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  axes = vec4(along * sqrt(longer), vec2(-along.y, along.x) * sqrt(shorter));

  uint state = texelFetch(states, splat).x;
  vec3 color;
  if (mode == MODE_DEPTH) {
    color = vec3(p.z, 0.0, 0.0);
  } else if (mode == MODE_NORMALS) {
    int shortest = log_scale.x < log_scale.y ? (log_scale.x < log_scale.z ? 0 : 2)
                                             : (log_scale.y < log_scale.z ? 1 : 2);
    vec3 normal = normalize(turned[shortest]);
    vec3 ray = orthographic ? vec3(0.0, 0.0, 1.0) : p;
    color = 0.5 + (dot(normal, ray) > 0.0 ? -0.5 : 0.5) * normal;
  } else {
    vec3 direction = orthographic ? items[i].eye.xyz : normalize(position.xyz - items[i].eye.xyz);
    color = sh_color(items[i].place.y + (splat - items[i].place.x) * items[i].place.z,
                     min(items[i].place.w, degree_limit), direction);
    if ((state & STATE_SELECTED) != 0u) color = mix(color, selected_color, 0.6);
  }
  float z = orthographic ? p.z / depth_range.y : 1.0 - 2.0 * depth_range.x / p.z;
  place = vec4(focal.xy * n + focal.zw, z, sqrt(2.0 * log(255.0 * opacity)));
  paint = vec4(color, opacity);
}
)";

inline constexpr const char* kQuadGlsl = R"(
uniform samplerBuffer splats;  // three texels each, as `project` gives them
uniform vec2 picture;          // size in pixels
uniform int mode;
uniform float center_radius;  // in pixels
flat out vec4 splat_paint;
out vec2 deviation;

void main() {
  int splat = gl_VertexID / 4;
  int corner = gl_VertexID % 4;
  vec4 place = texelFetch(splats, 3 * splat);
  vec4 axes = texelFetch(splats, 3 * splat + 1);
  splat_paint = texelFetch(splats, 3 * splat + 2);
  vec2 side = vec2(corner % 2 == 0 ? -1.0 : 1.0, corner < 2 ? -1.0 : 1.0);
  vec2 pixel;
  if (mode == MODE_CENTERS) {
    deviation = side;
    pixel = place.xy + center_radius * side * (place.w > 0.0 ? 1.0 : 0.0);
  } else {
    float radius = mode == MODE_ELLIPSOIDS ? min(place.w, 1.5) : place.w;
    deviation = mode == MODE_ELLIPSOIDS ? side : side * radius;
    pixel = place.xy + (axes.xy * side.x + axes.zw * side.y) * radius;
  }
  gl_Position = vec4(2.0 * pixel.x / picture.x - 1.0, 1.0 - 2.0 * pixel.y / picture.y, place.z, 1.0);
}
)";

inline constexpr const char* kSplatGlsl = R"(
uniform int mode;
flat in vec4 splat_paint;
in vec2 deviation;
out vec4 pixel;

void main() {
  float d2 = dot(deviation, deviation);
  if (mode == MODE_CENTERS || mode == MODE_ELLIPSOIDS) {
    if (d2 > 1.0) discard;
    float shade = mode == MODE_CENTERS ? 1.0 : 0.45 + 0.55 * sqrt(1.0 - d2);
    pixel = vec4(splat_paint.rgb * shade, 1.0);
    return;
  }
  float alpha = min(0.99, splat_paint.a * exp(-0.5 * d2));
  if (alpha < 1.0 / 255.0) discard;
  pixel = mode == MODE_OVERLAPS ? vec4(1.0, 0.0, 0.0, 0.0) : vec4(splat_paint.rgb * alpha, alpha);
}
)";

// A triangle over the whole picture.
inline constexpr const char* kWholePictureGlsl = R"(
out vec2 where;
void main() {
  where = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
  gl_Position = vec4(2.0 * where - 1.0, 0.0, 1.0);
}
)";

// What was blended, as it is shown.
inline constexpr const char* kShowGlsl = R"(
uniform sampler2D blended;
uniform vec2 part;  // of the texture that holds the picture
uniform ivec2 pixels;  // of the picture, if none is to be made of others; else 0
uniform int mode;
uniform vec3 background;
uniform vec2 depth_shown;  // the depths at both ends of the color scale
in vec2 where;
out vec4 pixel;

// A polynomial of the Turbo map (Mikhailov, 2019).
vec3 turbo(float t) {
  t = clamp(t, 0.0, 1.0);
  vec4 v4 = vec4(1.0, t, t * t, t * t * t);
  vec2 v2 = v4.zw * v4.z;
  return vec3(dot(v4, vec4(0.13572138, 4.61539260, -42.66032258, 132.13108234)) +
                  dot(v2, vec2(-152.94239396, 59.28637943)),
              dot(v4, vec4(0.09140261, 2.19418839, 4.84296658, -14.18503333)) +
                  dot(v2, vec2(4.27729857, 2.82956604)),
              dot(v4, vec4(0.10667330, 12.64194608, -60.58204836, 110.36276771)) +
                  dot(v2, vec2(-89.90310912, 27.34824973)));
}

void main() {
  vec4 c = pixels.x > 0 ? texelFetch(blended, ivec2(where * vec2(pixels)), 0)
                        : texture(blended, where * part);
  if (mode == MODE_DEPTH) {
    float t = (c.r / max(c.a, 1e-3) - depth_shown.x) / (depth_shown.y - depth_shown.x);
    pixel = vec4(mix(background, turbo(1.0 - t), c.a), 1.0);
  } else if (mode == MODE_ALPHA) {
    pixel = vec4(vec3(c.a), 1.0);
  } else if (mode == MODE_OVERLAPS) {
    pixel = vec4(c.r > 0.0 ? turbo(log2(1.0 + c.r) / 9.0) : background, 1.0);
  } else {
    pixel = vec4(clamp(c.rgb + (1.0 - c.a) * background, 0.0, 1.0), 1.0);
  }
}
)";

}  // namespace tessera::viewer
