// SPDX-License-Identifier: MIT
#include "render/gaussian/torch_ops.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"

namespace tessera::render {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// What backward needs of its forward. Each call has a rasterizer of its own, since that keeps the
// state of its last forward only and a graph may hold many views.
struct RasterizeState : torch::CustomClassHolder {
  std::unique_ptr<Rasterizer> rasterizer;
  core::GaussianCloud cloud;
};

int sh_degree_of(const at::Tensor& parameters) {
  if (parameters.dim() == 2) {
    for (int degree = 0; degree <= core::kMaxShDegree; ++degree) {
      if (parameters.size(0) == core::plane_count(degree)) return degree;
    }
  }
  throw core::Error(
      "rasterize: the parameters must be a tensor [planes][n] with the planes of an SH degree from "
      "0 to 4 (14, 23, 38, 59 or 86)");
}

at::Tensor checked(const at::Tensor& tensor, const char* name) {
  if (!tensor.device().is_cpu() || tensor.scalar_type() != at::kFloat) {
    throw core::Error(fmt::format("rasterize: {} must be a float32 tensor on the CPU", name));
  }
  return tensor.contiguous();
}

core::GaussianCloud cloud_of(const at::Tensor& parameters) {
  const int sh_degree = sh_degree_of(parameters);
  core::GaussianCloud cloud(sh_degree, parameters.size(1));
  const float* source = parameters.const_data_ptr<float>();
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    std::copy_n(source + p * cloud.size(), cloud.size(), cloud.plane(p));
  }
  return cloud;
}

at::Tensor tensor_of(const core::ImageF& image) {
  if (image.empty()) return {};
  at::Tensor tensor = at::empty({image.height, image.width, image.channels}, at::kFloat);
  std::copy(image.data.begin(), image.data.end(), tensor.mutable_data_ptr<float>());
  return image.channels == 1 ? tensor.squeeze(2) : tensor;
}

// An undefined gradient is that of a picture which the loss does not use.
core::ImageF image_of(const at::Tensor& tensor, int width, int height, int channels) {
  if (!tensor.defined()) return {};
  core::ImageF image(width, height, channels);
  const at::Tensor plain = tensor.contiguous();
  std::copy_n(plain.const_data_ptr<float>(), image.data.size(), image.data.begin());
  return image;
}

struct RasterizeFunction : torch::autograd::Function<RasterizeFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& parameters,
                               const at::Tensor& background, const std::string& backend,
                               core::ThreadPool* pool, const core::PosedCamera& camera,
                               RasterizeOptions options) {
    auto state = c10::make_intrusive<RasterizeState>();
    state->rasterizer = make_rasterizer(backend, *pool);
    state->cloud = cloud_of(checked(parameters, "the parameters"));
    const at::Tensor rgb = checked(background, "the background");
    if (rgb.numel() != 3) throw core::Error("rasterize: the background must have 3 values");
    const float* c = rgb.const_data_ptr<float>();
    options.background = {c[0], c[1], c[2]};

    RenderOutput output;
    state->rasterizer->forward(state->cloud, camera, options, output);
    context->saved_data["state"] = c10::IValue::make_capsule(std::move(state));
    context->saved_data["width"] = int64_t{output.color.width};
    context->saved_data["height"] = int64_t{output.color.height};
    context->set_materialize_grads(false);
    variable_list pictures = {tensor_of(output.color), tensor_of(output.alpha)};
    if (options.depth) pictures.push_back(tensor_of(output.depth));
    return pictures;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (at::GradMode::is_enabled()) {
      throw core::Error("rasterize has first derivatives only; do not ask for create_graph");
    }
    const auto capsule = context->saved_data["state"].toCapsule();
    auto& state = static_cast<RasterizeState&>(*capsule);
    const int width = static_cast<int>(context->saved_data["width"].toInt());
    const int height = static_cast<int>(context->saved_data["height"].toInt());

    RenderOutputGradient output_gradient;
    output_gradient.color = image_of(gradients[0], width, height, 3);
    if (output_gradient.color.empty()) {
      output_gradient.color = core::ImageF(width, height, 3);
      output_gradient.color.data.fill(0.0F);
    }
    output_gradient.alpha = image_of(gradients[1], width, height, 1);
    if (gradients.size() > 2) output_gradient.depth = image_of(gradients[2], width, height, 1);

    RasterizeGradient gradient;
    const int64_t n = state.cloud.size();
    const int planes = state.cloud.parameters.plane_count();
    gradient.parameters.reset(planes, n);
    state.rasterizer->backward(state.cloud, output_gradient, gradient);

    at::Tensor to_parameters = at::empty({planes, n}, at::kFloat);
    float* target = to_parameters.mutable_data_ptr<float>();
    for (int p = 0; p < planes; ++p) {
      std::copy_n(gradient.parameters.plane(p), n, target + p * n);
    }
    at::Tensor to_background = at::empty({3}, at::kFloat);
    float* rgb = to_background.mutable_data_ptr<float>();
    rgb[0] = static_cast<float>(gradient.background.x);
    rgb[1] = static_cast<float>(gradient.background.y);
    rgb[2] = static_cast<float>(gradient.background.z);
    return {to_parameters, to_background, {}, {}, {}, {}};
  }
};

}  // namespace

TorchRender rasterize(std::string_view backend, core::ThreadPool& pool,
                      const at::Tensor& parameters, const at::Tensor& background,
                      const core::PosedCamera& camera, const RasterizeOptions& options) {
  const variable_list pictures = RasterizeFunction::apply(
      parameters, background, std::string(backend), &pool, camera, options);
  TorchRender render{pictures[0], pictures[1], {}};
  if (pictures.size() > 2) render.depth = pictures[2];
  return render;
}

}  // namespace tessera::render
