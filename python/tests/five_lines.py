import gms

with gms.connect("weights", lease="rw") as memory:
    memory.put("greeting", memory.allocate(5).write(b"hello"))
    memory.commit()
with gms.connect("weights") as memory:
    print(memory.open_layout()["greeting"].read(5).decode())
