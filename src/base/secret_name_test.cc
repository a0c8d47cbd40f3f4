#include "base/secret_name.h"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(SecretName, IsToldByItsParts) {
  for (const char* const name :
       {"HF_TOKEN", "hf-token", "--api-key", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "apiKey",
        "db_password", "NGC_APIKEY", "client.secret", "BASIC_AUTH", "SMTP_PASS", "SSH_PRIVATEKEY",
        "DATABASE_URL"}) {
    EXPECT_TRUE(LooksLikeSecretName(name)) << name;
  }
}

TEST(SecretName, WhatOnlySoundsLikeOneIsNone) {
  for (const char* const name :
       {"PATH", "KEYBOARD", "HF_TOKEN_PATH", "VAULT_TOKEN_FILE", "TOKENIZERS_PARALLELISM", "MONKEY",
        "AUTHOR", "HOME", "MAX_KEYS", "SSH_AUTH_SOCK", "--tokenizer", "--max-num-batched-tokens",
        "MAX_TOKENS"}) {
    EXPECT_FALSE(LooksLikeSecretName(name)) << name;
  }
}

}  // namespace
}  // namespace hearth
