#include "gms/capi/client.h"

// Allocations, names and layouts.
using hearth::InvalidError;
using hearth::NotFoundError;
using hearth::Result;
using hearth::Status;
using hearth::gms::AddressSpace;
using hearth::gms::Mapping;
using hearth::gms::MemoryManager;
using hearth::gms::MetadataItem;
using hearth::gms::Session;
using hearth::gms::capi::Guarded;
using hearth::gms::capi::Show;

namespace {

uintptr_t Address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }
void* Pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

Result<Mapping> FindMapping(gms_client* client, const void* address) {
  ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
  if (auto mapping = manager->Find(Address(address))) {
    return *std::move(mapping);
  }
  return NotFoundError("no memory of this client is at that address");
}

// Whole range within one mapping: a copy beyond it would hit somebody else's memory.
Status CheckRange(gms_client* client, const void* address, uint64_t size) {
  ASSIGN_OR_RETURN(const Mapping mapping, FindMapping(client, address));
  const uint64_t left = mapping.aligned_size - (Address(address) - mapping.address);
  if (!mapping.mapped) {
    return InvalidError("that memory is asleep");
  }
  return size <= left ? Status() : InvalidError("the range does not end in the same mapping");
}

void ShowEntry(const MetadataItem& item, uintptr_t base, gms_entry* entry) {
  const auto offset = static_cast<uint64_t>(item.offset_bytes);
  *entry = {.key = item.key.c_str(),
            .address = base == 0 ? nullptr : Pointer(base + offset),
            .allocation_id = item.allocation_id.c_str(),
            .offset = offset,
            .value = item.value.data(),
            .value_size = item.value.size()};
}

}  // namespace

extern "C" {

gms_code gms_allocate(gms_client* client, uint64_t size, void** address) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    ASSIGN_OR_RETURN(const uintptr_t made, manager->CreateMapping(size, client->tag));
    *address = Pointer(made);
    return {};
  });
}

gms_code gms_free(gms_client* client, void* address) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(const Mapping mapping, FindMapping(client, address));
    if (mapping.address != Address(address)) {
      return InvalidError("not the start of a mapping");
    }
    return (*client->memory->manager())->DestroyMapping(mapping.address);
  });
}

gms_code gms_map(gms_client* client, const char* allocation_id, void** address) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    ASSIGN_OR_RETURN(const uintptr_t mapped, manager->OpenMapping(allocation_id));
    *address = Pointer(mapped);
    return {};
  });
}

gms_code gms_find(gms_client* client, const void* address, gms_mapping* mapping) {
  thread_local Mapping found;
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(found, FindMapping(client, address));
    Show(found, mapping);
    return {};
  });
}

uint64_t gms_total_bytes(gms_client* client) {
  const Result<MemoryManager*> manager = client->memory->manager();
  return manager.ok() ? (*manager)->total_bytes() : 0;
}

gms_code gms_write(gms_client* client, void* to, const void* from, uint64_t size) {
  return Guarded([&]() -> Status {
    RETURN_IF_ERROR(CheckRange(client, to, size));
    ASSIGN_OR_RETURN(const Mapping mapping, FindMapping(client, to));
    if (mapping.access != hearth::gms::Access::kReadWrite) {
      return {hearth::Code::kPermissionDenied, "that memory is published: it can only be read"};
    }
    ASSIGN_OR_RETURN(AddressSpace* const space, client->memory->space());
    return space->CopyFromHost(Address(to), from, size);
  });
}

gms_code gms_read(gms_client* client, void* to, const void* from, uint64_t size) {
  return Guarded([&]() -> Status {
    RETURN_IF_ERROR(CheckRange(client, from, size));
    ASSIGN_OR_RETURN(AddressSpace* const space, client->memory->space());
    return space->CopyToHost(to, Address(from), size);
  });
}

int gms_host_accessible(gms_client* client) {
  const Result<AddressSpace*> space = client->memory->space();
  return space.ok() && (*space)->host_accessible() ? 1 : 0;
}

gms_code gms_metadata_put(gms_client* client, const char* key, const void* address,
                          const void* value, size_t value_size) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(const Mapping mapping, FindMapping(client, address));
    const MetadataItem item{
        .key = key,
        .allocation_id = mapping.allocation_id,
        .offset_bytes = static_cast<int64_t>(Address(address) - mapping.address),
        .value = std::string(static_cast<const char*>(value), value_size)};
    return (*client->memory->manager())->WithSession([&](Session& session) {
      return session.PutMetadata(item);
    });
  });
}

gms_code gms_metadata_get(gms_client* client, const char* key, gms_entry* entry) {
  thread_local MetadataItem found;
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    RETURN_IF_ERROR(manager->WithSession([&](Session& session) -> Status {
      ASSIGN_OR_RETURN(auto item, session.GetMetadata(key));
      if (!item) {
        return NotFoundError(std::string("nothing is named '") + key + "'");
      }
      found = *std::move(item);
      return {};
    }));
    const auto mapping = manager->FindById(found.allocation_id);
    ShowEntry(found, mapping ? mapping->address : 0, entry);
    return {};
  });
}

gms_code gms_open_layout(gms_client* client, gms_layout** layout) {
  return Guarded([&]() -> Status {
    ASSIGN_OR_RETURN(MemoryManager* const manager, client->memory->manager());
    auto opened = std::make_unique<gms_layout>();
    ASSIGN_OR_RETURN(opened->layout, manager->OpenLayout());
    for (const Mapping& mapping : opened->layout.mappings) {
      opened->addresses[mapping.allocation_id] = mapping.address;
    }
    *layout = opened.release();
    return {};
  });
}

void gms_layout_free(gms_layout* layout) { delete layout; }
const char* gms_layout_hash(const gms_layout* layout) { return layout->layout.hash.c_str(); }
uint64_t gms_layout_generation(const gms_layout* layout) { return layout->layout.generation; }
size_t gms_layout_mappings(const gms_layout* layout) { return layout->layout.mappings.size(); }
size_t gms_layout_entries(const gms_layout* layout) { return layout->layout.metadata.size(); }

gms_code gms_layout_mapping(const gms_layout* layout, size_t index, gms_mapping* mapping) {
  return Guarded([&]() -> Status {
    if (index >= layout->layout.mappings.size()) {
      return NotFoundError("the layout has fewer mappings");
    }
    Show(layout->layout.mappings[index], mapping);
    return {};
  });
}

gms_code gms_layout_entry(const gms_layout* layout, size_t index, gms_entry* entry) {
  return Guarded([&]() -> Status {
    if (index >= layout->layout.metadata.size()) {
      return NotFoundError("the layout has fewer names");
    }
    const MetadataItem& item = layout->layout.metadata[index];
    const auto base = layout->addresses.find(item.allocation_id);
    ShowEntry(item, base == layout->addresses.end() ? 0 : base->second, entry);
    return {};
  });
}

}  // extern "C"
