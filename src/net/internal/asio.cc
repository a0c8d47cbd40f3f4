// NOLINTNEXTLINE(misc-include-cleaner): Asio asks for exactly one such file.
#include <boost/asio/impl/src.hpp>
