// SPDX-License-Identifier: MIT
#include "viewer/ui/imgui_layer.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr float kTextSize = 16;  // pixels at scale 1

// What desktops have; ImGui's own letters otherwise.
constexpr const char* kFonts[] = {
    "/usr/share/fonts/truetype/roboto/unhinted/RobotoTTF/Roboto-Regular.ttf",
    "/usr/share/fonts/truetype/roboto/unhinted/Roboto-Regular.ttf",
    "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
};

#if IMGUI_VERSION_NUM < 18700
#if IMGUI_VERSION_NUM < 18600
#error "Dear ImGui 1.86 or later is needed"
#endif
constexpr ImGuiKey_ kImGuiEnterOnPad = ImGuiKey_KeyPadEnter;
#else
constexpr ImGuiKey kImGuiEnterOnPad = ImGuiKey_KeypadEnter;
#endif

constexpr std::pair<ImGuiKey, Key> kImGuiKeys[] = {
    {ImGuiKey_Tab, Key::kTab},
    {ImGuiKey_LeftArrow, Key::kLeft},
    {ImGuiKey_RightArrow, Key::kRight},
    {ImGuiKey_UpArrow, Key::kUp},
    {ImGuiKey_DownArrow, Key::kDown},
    {ImGuiKey_PageUp, Key::kPageUp},
    {ImGuiKey_PageDown, Key::kPageDown},
    {ImGuiKey_Home, Key::kHome},
    {ImGuiKey_End, Key::kEnd},
    {ImGuiKey_Insert, Key::kInsert},
    {ImGuiKey_Delete, Key::kDelete},
    {ImGuiKey_Backspace, Key::kBackspace},
    {ImGuiKey_Space, Key::kSpace},
    {ImGuiKey_Enter, Key::kEnter},
    {ImGuiKey_Escape, Key::kEscape},
    {kImGuiEnterOnPad, Key::kEnterOnPad},
    {ImGuiKey_A, Key::kA},
    {ImGuiKey_C, Key::kC},
    {ImGuiKey_V, Key::kV},
    {ImGuiKey_X, Key::kX},
    {ImGuiKey_Y, Key::kY},
    {ImGuiKey_Z, Key::kZ},
};

#if IMGUI_VERSION_NUM < 18700
void prepare_keys(ImGuiIO& io) {
  for (const auto& [theirs, ours] : kImGuiKeys) io.KeyMap[theirs] = static_cast<int>(ours);
}
void feed_key(ImGuiIO& io, const InputEvent& event) {
  const int key = static_cast<int>(event.key);
  if (key >= 0 && key < kKeyCount) io.KeysDown[key] = event.down;
  io.KeyCtrl = event.modifiers.control;
  io.KeyShift = event.modifiers.shift;
  io.KeyAlt = event.modifiers.alt;
}
void feed_position(ImGuiIO& io, double x, double y) {
  io.MousePos = {static_cast<float>(x), static_cast<float>(y)};
}
void feed_button(ImGuiIO& io, MouseButton button, bool down) {
  io.MouseDown[static_cast<int>(button)] = down;
}
void feed_wheel(ImGuiIO& io, double x, double y) {
  io.MouseWheelH += static_cast<float>(x);
  io.MouseWheel += static_cast<float>(y);
}
#else
void prepare_keys(ImGuiIO& /*io*/) {}
void feed_key(ImGuiIO& io, const InputEvent& event) {
  io.AddKeyEvent(ImGuiMod_Ctrl, event.modifiers.control);
  io.AddKeyEvent(ImGuiMod_Shift, event.modifiers.shift);
  io.AddKeyEvent(ImGuiMod_Alt, event.modifiers.alt);
  for (const auto& [theirs, ours] : kImGuiKeys) {
    if (ours == event.key) io.AddKeyEvent(theirs, event.down);
  }
}
void feed_position(ImGuiIO& io, double x, double y) {
  io.AddMousePosEvent(static_cast<float>(x), static_cast<float>(y));
}
void feed_button(ImGuiIO& io, MouseButton button, bool down) {
  io.AddMouseButtonEvent(static_cast<int>(button), down);
}
void feed_wheel(ImGuiIO& io, double x, double y) {
  io.AddMouseWheelEvent(static_cast<float>(x), static_cast<float>(y));
}
#endif

ImVec4 gray(float value, float alpha = 1) {
  return {value, value, value * 1.02F, alpha};
}

void set_colors(bool dark) {
  ImGuiStyle& style = ImGui::GetStyle();
  if (!dark) {
    ImGui::StyleColorsLight();
    return;
  }
  ImGui::StyleColorsDark();
  const ImVec4 accent = {0.93F, 0.55F, 0.16F, 1};
  const auto faint = [&accent](float alpha) { return ImVec4(accent.x, accent.y, accent.z, alpha); };
  ImVec4* colors = style.Colors;
  colors[ImGuiCol_WindowBg] = gray(0.11F, 0.97F);
  colors[ImGuiCol_PopupBg] = gray(0.13F);
  colors[ImGuiCol_MenuBarBg] = gray(0.13F);
  colors[ImGuiCol_FrameBg] = gray(0.19F);
  colors[ImGuiCol_FrameBgHovered] = gray(0.25F);
  colors[ImGuiCol_FrameBgActive] = gray(0.28F);
  colors[ImGuiCol_TitleBg] = colors[ImGuiCol_TitleBgActive] = gray(0.13F);
  colors[ImGuiCol_Button] = gray(0.23F);
  colors[ImGuiCol_ButtonHovered] = gray(0.31F);
  colors[ImGuiCol_ButtonActive] = faint(0.8F);
  colors[ImGuiCol_Header] = faint(0.28F);
  colors[ImGuiCol_HeaderHovered] = faint(0.4F);
  colors[ImGuiCol_HeaderActive] = faint(0.55F);
  colors[ImGuiCol_CheckMark] = accent;
  colors[ImGuiCol_SliderGrab] = faint(0.8F);
  colors[ImGuiCol_SliderGrabActive] = accent;
  colors[ImGuiCol_Separator] = gray(0.25F);
  colors[ImGuiCol_PlotLines] = accent;
  colors[ImGuiCol_PlotHistogram] = faint(0.8F);
  colors[ImGuiCol_TextSelectedBg] = faint(0.4F);
}

}  // namespace

ImGuiLayer::ImGuiLayer() : context_(ImGui::CreateContext()) {
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // panels have fixed places
  io.LogFilename = nullptr;
  io.BackendPlatformName = "tessera";
  prepare_keys(io);
  set_theme(true);
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    ImGui::DestroyContext(context_);
    throw core::Error("Dear ImGui cannot use this OpenGL context");
  }
}

ImGuiLayer::~ImGuiLayer() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(context_);
}

void ImGuiLayer::set_theme(bool dark) {
  dark_ = dark;
  set_colors(dark);
}

void ImGuiLayer::set_scale(float scale) {
  scale_ = std::clamp(scale, 0.5F, 4.0F);
}

void ImGuiLayer::build_fonts() {
  ImGuiIO& io = ImGui::GetIO();
  io.Fonts->Clear();
  static constexpr ImWchar kLetters[] = {0x20,   0x24F,  0x370,  0x52F,  0x2010, 0x2027,
                                         0x2030, 0x205E, 0x2190, 0x21FF, 0};
  for (const char* path : kFonts) {
    if (!std::filesystem::exists(path)) continue;
    io.Fonts->AddFontFromFileTTF(path, kTextSize * scale_, nullptr, kLetters);
    break;
  }
  if (io.Fonts->Fonts.empty()) {
    ImFontConfig config;
    config.SizePixels = kTextSize * scale_;
    io.Fonts->AddFontDefault(&config);
  }
  ImGui_ImplOpenGL3_DestroyFontsTexture();
  ImGui_ImplOpenGL3_CreateFontsTexture();
  ImGuiStyle& style = ImGui::GetStyle();
  style = ImGuiStyle();
  style.WindowRounding = 0;
  style.FrameRounding = 3;
  style.GrabRounding = 3;
  style.WindowBorderSize = 0;
  style.FramePadding = {7, 4};
  style.ItemSpacing = {7, 6};
  style.ScaleAllSizes(scale_);
  set_colors(dark_);
  built_scale_ = scale_;
}

void ImGuiLayer::feed(const InputEvent& event) {
  ImGuiIO& io = ImGui::GetIO();
  switch (event.kind) {
    case InputEvent::Kind::kMove:
      feed_position(io, event.x, event.y);
      break;
    case InputEvent::Kind::kButton:
      feed_position(io, event.x, event.y);
      feed_button(io, event.button, event.down);
      break;
    case InputEvent::Kind::kWheel:
      feed_wheel(io, event.x, event.y);
      break;
    case InputEvent::Kind::kKey:
      feed_key(io, event);
      break;
    case InputEvent::Kind::kText:
      io.AddInputCharacter(event.character);
      break;
    case InputEvent::Kind::kDrop:
      break;
  }
}

bool ImGuiLayer::wants_mouse() const {
  return ImGui::GetIO().WantCaptureMouse;
}

bool ImGuiLayer::wants_text() const {
  return ImGui::GetIO().WantTextInput;
}

void ImGuiLayer::begin(int width, int height, double seconds) {
  if (built_scale_ != scale_) build_fonts();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
  io.DeltaTime = static_cast<float>(std::max(seconds, 1e-4));
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
}

void ImGuiLayer::end() {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace tessera::viewer
