#pragma once

// Result codes of the driver that the stand-in gives.
namespace standin {

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kNotInitialized = 3;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kInvalidContext = 201;
inline constexpr int kOperatingSystem = 304;
inline constexpr int kIllegalAddress = 700;
inline constexpr int kNotSupported = 801;

}  // namespace standin
