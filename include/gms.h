#pragma once

/* Device memory that outlives the process that filled it: the C interface of the GPU memory
 * service. Link with libgms (pkg-config gms).
 *
 *   gms_options options;
 *   gms_client* client;
 *   gms_options_init(&options);
 *   gms_open(&options, &client);
 *   gms_connect(client, GMS_LEASE_RW_OR_RO, -1);
 *
 * Every call that can fail returns a gms_code; gms_error() then tells what happened, to the thread
 * that called. A client may be used by several threads; its calls are one after another. Strings
 * are UTF-8 and end with a zero. Times are milliseconds; negative: as long as it takes.
 *
 * Functions are only added, and structures only grow at their end: a program keeps running with
 * every later library of the same major version. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GMS_VERSION_MAJOR 1
#define GMS_VERSION_MINOR 1

#define GMS_PUBLIC __attribute__((visibility("default")))
/* C may pass any number; C++ must be told that it may. */
#ifdef __cplusplus
#define GMS_ENUM : int
#else
#define GMS_ENUM
#endif

typedef enum gms_code GMS_ENUM {
  GMS_OK = 0,
  GMS_INVALID = 1, /* the same again fails the same */
  GMS_NOT_FOUND = 2,
  GMS_ALREADY_EXISTS = 3,
  GMS_CONFLICT = 4, /* the layout or the server is not the one expected */
  GMS_PERMISSION_DENIED = 5,
  GMS_EXHAUSTED = 6,   /* no memory now */
  GMS_UNAVAILABLE = 7, /* the server is not there, or the connection broke */
  GMS_TIMEOUT = 8,
  GMS_CANCELLED = 9,
  GMS_UNSUPPORTED = 10,
  GMS_DATA_LOSS = 11,
  GMS_INTERNAL = 12
} gms_code;

typedef enum gms_lease GMS_ENUM {
  GMS_LEASE_RO = 0,            /* reads what is published; waits for it */
  GMS_LEASE_RW = 1,            /* writes alone; waits until readers are gone */
  GMS_LEASE_RW_OR_RO = 2,      /* writes when nothing is published, else reads */
  GMS_LEASE_RW_DATA_OR_RW = 3, /* adopts a sealed layout when there is one, else writes */
  GMS_LEASE_RW_SHADOW = 4      /* writes beside the readers of what is published */
} gms_lease;

typedef enum gms_grant GMS_ENUM {
  GMS_GRANT_NONE = 0,
  GMS_GRANT_RO = 1,
  GMS_GRANT_RW = 2,
  GMS_GRANT_RW_DATA = 3
} gms_grant;

typedef struct gms_client gms_client;
typedef struct gms_layout gms_layout;

typedef struct gms_options {
  size_t struct_size;         /* filled in by gms_options_init */
  const char* socket;         /* NULL: found by folder, device and tag */
  const char* socket_dir;     /* NULL: GMS_SOCKET_DIR, TMPDIR, /tmp */
  const char* tag;            /* NULL: "weights" */
  const char* name;           /* who we are, for people; NULL: "libgms" */
  int device;                 /* as this process counts its devices */
  int64_t connect_timeout_ms; /* for the socket to appear; 30000 */
  int64_t rpc_timeout_ms;     /* for an answer; 30000 */
  uint64_t scratch_block;     /* physical bytes behind scratch; 0: 512 MiB */
  uint64_t granularity;       /* of host memory before a server is asked; 0: 2 MiB */
} gms_options;

/* One allocation where it is mapped. Texts are valid until this thread's next call, or, from a
 * layout, as long as the layout. */
typedef struct gms_mapping {
  void* address; /* reserved also while nothing is mapped */
  uint64_t size;
  uint64_t mapped_size; /* rounded up to what the device maps */
  const char* allocation_id;
  const char* tag;
  int is_mapped;
  int is_writable;
} gms_mapping;

/* A named place in an allocation, with bytes that describe it. */
typedef struct gms_entry {
  const char* key;
  void* address; /* NULL when its allocation is not mapped here */
  const char* allocation_id;
  uint64_t offset;
  const void* value;
  size_t value_size;
} gms_entry;

GMS_PUBLIC uint32_t gms_version(void); /* major << 16 | minor of the library */
GMS_PUBLIC const char* gms_code_name(gms_code code);
/* What the last failing call of this thread said; "" when none failed. */
GMS_PUBLIC const char* gms_error(void);

/* Defaults, as many as the caller has room for: a library may know more options than the header
 * that the caller was built with. */
GMS_PUBLIC void gms_options_init_sized(gms_options* options, size_t struct_size); /* since 1.1 */
/* For callers built with 1.0: writes what that version had. */
GMS_PUBLIC void gms_options_init(gms_options* options);
#define gms_options_init(options) gms_options_init_sized((options), sizeof(gms_options))
/* Does not connect. */
GMS_PUBLIC gms_code gms_open(const gms_options* options, gms_client** client);
/* Unmaps everything and gives the lease back. NULL is fine. */
GMS_PUBLIC void gms_close(gms_client* client);

/* Waits for the socket and then for the lease, `timeout_ms` for both together. A client that sleeps
 * wakes with gms_wake. */
GMS_PUBLIC gms_code gms_connect(gms_client* client, gms_lease lease, int64_t timeout_ms);
/* Gives the lease back; what is mapped stays. What a writer did not publish is gone. */
GMS_PUBLIC gms_code gms_disconnect(gms_client* client);
GMS_PUBLIC gms_grant gms_granted(gms_client* client);

/* Memory of the server, mapped for writing. */
GMS_PUBLIC gms_code gms_allocate(gms_client* client, uint64_t size, void** address);
/* The start of a mapping. A writer frees it on the server, too. */
GMS_PUBLIC gms_code gms_free(gms_client* client, void* address);
/* Maps an allocation that is there. */
GMS_PUBLIC gms_code gms_map(gms_client* client, const char* allocation_id, void** address);
/* The mapping that holds this address. */
GMS_PUBLIC gms_code gms_find(gms_client* client, const void* address, gms_mapping* mapping);
GMS_PUBLIC uint64_t gms_total_bytes(gms_client* client);
/* To and from device memory; also works where the processor may not use the addresses. */
GMS_PUBLIC gms_code gms_write(gms_client* client, void* to, const void* from, uint64_t size);
GMS_PUBLIC gms_code gms_read(gms_client* client, void* to, const void* from, uint64_t size);
/* Whether the processor may use mapped addresses as they are. */
GMS_PUBLIC int gms_host_accessible(gms_client* client);

/* Names a place: `address` lies in a mapping. */
GMS_PUBLIC gms_code gms_metadata_put(gms_client* client, const char* key, const void* address,
                                     const void* value, size_t value_size);
/* Texts and value are valid until this thread's next call. */
GMS_PUBLIC gms_code gms_metadata_get(gms_client* client, const char* key, gms_entry* entry);

/* Maps everything that is published, with all names, in a few messages. */
GMS_PUBLIC gms_code gms_open_layout(gms_client* client, gms_layout** layout);
GMS_PUBLIC void gms_layout_free(gms_layout* layout); /* what it mapped stays mapped */
GMS_PUBLIC const char* gms_layout_hash(const gms_layout* layout);
GMS_PUBLIC uint64_t gms_layout_generation(const gms_layout* layout);
GMS_PUBLIC size_t gms_layout_mappings(const gms_layout* layout);
GMS_PUBLIC gms_code gms_layout_mapping(const gms_layout* layout, size_t index,
                                       gms_mapping* mapping);
GMS_PUBLIC size_t gms_layout_entries(const gms_layout* layout);
GMS_PUBLIC gms_code gms_layout_entry(const gms_layout* layout, size_t index, gms_entry* entry);

/* Publishes what was written. The memory becomes read-only in place and the lease a reader's. */
GMS_PUBLIC gms_code gms_commit(gms_client* client);
/* Seals the shape, not the contents: a successor may adopt it. */
GMS_PUBLIC gms_code gms_commit_layout(gms_client* client);

/* Unmaps everything and gives the lease back; addresses stay reserved. */
GMS_PUBLIC gms_code gms_sleep(gms_client* client);
/* Everything is back at its address, or nothing is. GMS_CONFLICT when the layout has changed. */
GMS_PUBLIC gms_code gms_wake(gms_client* client, gms_lease lease, int64_t timeout_ms);
/* After GMS_UNAVAILABLE: unmaps, forgets the failure and keeps addresses, ready to wake. */
GMS_PUBLIC gms_code gms_reset(gms_client* client);

/* ---- Behind PyTorch's pluggable allocator (libgms_allocator.so: my_malloc, my_free). */

typedef enum gms_backing GMS_ENUM {
  GMS_BACKING_SERVER = 0, /* every block an allocation */
  GMS_BACKING_SLABS = 1,  /* blocks carved from few large allocations */
  GMS_BACKING_SCRATCH = 2 /* addresses that share one block of memory, until they are real */
} gms_backing;

/* The client's memory serves the tag, on the client's device, until it is unregistered. Scratch
 * needs no lease; the others need one for writing. */
GMS_PUBLIC gms_code gms_allocator_register(gms_client* client, const char* tag,
                                           gms_backing backing);
GMS_PUBLIC void gms_allocator_unregister(const char* tag);
/* From now on this thread's blocks come from the tag; NULL: from none, and fail. */
GMS_PUBLIC gms_code gms_allocator_use(const char* tag);
/* GMS_OK, or the first failure since the last call: a framework only says that memory ran out. */
GMS_PUBLIC gms_code gms_allocator_failure(void);
GMS_PUBLIC size_t gms_allocator_live_blocks(const char* tag);
/* NULL, with the reason on standard error, when there is none to be had. */
GMS_PUBLIC void* gms_allocator_malloc(int64_t size, int device);
/* Goes to whoever made the block, whatever tag is used now. */
GMS_PUBLIC void gms_allocator_free(void* block, int64_t size);
/* Scratch of this client becomes real with the next gms_wake for writing; call it asleep. */
GMS_PUBLIC gms_code gms_scratch_to_memory(gms_client* client);

#ifdef __cplusplus
}
#endif
