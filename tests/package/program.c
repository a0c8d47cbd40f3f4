/* What an engine author writes first: publishes a text, reads it back as another client. */
#include <gms.h>
#include <stdio.h>
#include <string.h>

static int check(gms_code code, const char* what) {
  if (code != GMS_OK) {
    fprintf(stderr, "%s: %s: %s\n", what, gms_code_name(code), gms_error());
  }
  return code != GMS_OK;
}

static int publish(gms_client* client) {
  void* address = NULL;
  return check(gms_connect(client, GMS_LEASE_RW, -1), "connect") ||
         check(gms_allocate(client, 6, &address), "allocate") ||
         check(gms_write(client, address, "hello", 6), "write") ||
         check(gms_metadata_put(client, "greeting", address, "", 0), "name") ||
         check(gms_commit(client), "commit");
}

static int print(gms_client* client) {
  gms_layout* layout = NULL;
  gms_entry entry;
  char text[6];
  if (check(gms_connect(client, GMS_LEASE_RO, -1), "connect") ||
      check(gms_open_layout(client, &layout), "open") ||
      check(gms_layout_entry(layout, 0, &entry), "look") ||
      check(gms_read(client, text, entry.address, sizeof text), "read")) {
    return 1;
  }
  printf("%s=%s\n", entry.key, text);
  gms_layout_free(layout);
  return 0;
}

int main(void) {
  gms_client* writer = NULL;
  gms_client* reader = NULL;
  int failed = 0;
  if (check(gms_open(NULL, &writer), "open") || check(gms_open(NULL, &reader), "open")) {
    return 1;
  }
  failed = publish(writer) || print(reader);
  gms_close(reader);
  gms_close(writer);
  return failed;
}
