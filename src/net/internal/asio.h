#pragma once

// The parts of Asio this program uses. Asio's own sources are compiled once, in asio.cc
// (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace hearth::net {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

}  // namespace hearth::net
