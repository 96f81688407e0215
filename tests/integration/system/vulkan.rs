//! Vulkan: submissions to queues, names of objects, and memory.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use super::{SLICE_ARGS, SLICES, packets};

fn api(at: u64, event: Message) -> Packet {
    Packet::new().sequence(1).timestamp(at).payload(65, event)
}

#[test]
fn submissions_to_a_queue() {
    let submit = Message::new()
        .uint(1, 500)
        .uint(2, 7)
        .uint(3, 8)
        .uint(4, 0x99)
        .uint(5, 0xa1)
        .uint(5, 0xa2)
        .uint(6, 12);
    let trace = packets([api(10, Message::new().message(2, submit))]);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts  dur  type           track          name           category
10  500  vulkan_events  Vulkan Events  vkQueueSubmit  NULL
"
    );
    assert_eq!(
        trace.rows(SLICE_ARGS),
        "\
ts  name           flat_key         key                 type  int  string
10  vkQueueSubmit  pid              pid                 int   7    NULL
10  vkQueueSubmit  tid              tid                 int   8    NULL
10  vkQueueSubmit  command_buffer   command_buffer      uint  161  NULL
10  vkQueueSubmit  command_buffers  command_buffers[0]  uint  161  NULL
10  vkQueueSubmit  command_buffers  command_buffers[1]  uint  162  NULL
10  vkQueueSubmit  submission_id    submission_id       int   12   NULL
"
    );
    let slice = "SELECT ts, command_buffer, submission_id, upid FROM gpu_slice";
    assert_eq!(
        trace.rows(slice),
        "\
ts  command_buffer  submission_id  upid
10  161             12             NULL
"
    );
}

#[test]
fn names_of_objects_show_in_the_stages_after_them() {
    let name = |at, kind, handle, name: &str| {
        let named = Message::new().uint(1, 7).uint(3, kind).uint(4, handle).bytes(5, name);
        api(at, Message::new().message(1, named))
    };
    let stage = |at| {
        let stage = Message::new().uint(1, at).uint(2, 1).uint(8, 0x18).uint(9, 0x12).uint(12, 6);
        Packet::new().sequence(1).timestamp(at).payload(53, stage)
    };
    let trace = packets([
        stage(10),
        name(20, 24, 0x18, "shadow map"),
        name(21, 18, 0x12, "main pass"),
        name(22, 6, 6, "frame 1"),
        name(23, 9, 0x18, "a buffer, no framebuffer"),
        stage(30),
        name(40, 6, 6, "frame 2"),
        stage(50),
    ]);
    let names = "SELECT ts, render_target_name, render_pass_name, command_buffer_name \
        FROM gpu_slice ORDER BY ts";
    assert_eq!(
        trace.rows(names),
        "\
ts  render_target_name  render_pass_name  command_buffer_name
10  NULL                NULL              NULL
30  shadow map          main pass         frame 1
50  shadow map          main pass         frame 2
"
    );
}

/// A change of memory of a process: its source and kind, and its size.
fn memory(at: u64, pid: u64, source: u64, operation: u64, size: u64) -> Message {
    let event = Message::new().uint(1, source).uint(2, operation).uint(3, at);
    event.uint(4, pid).uint(6, size)
}

fn packet(at: u64, event: Message) -> Packet {
    Packet::new().sequence(1).flags(NEEDS_STATE).timestamp(at).payload(62, event)
}

fn interned(data: Message) -> Packet {
    Packet::new().sequence(1).flags(STATE_CLEARED).payload(12, data)
}

#[test]
fn changes_of_memory_are_rows() {
    let text = |iid, text: &str| Message::new().uint(1, iid).bytes(2, text);
    let data = Message::new()
        .message(5, text(3, "vkAllocateMemory"))
        .message(22, text(1, "usage"))
        .message(22, text(2, "texture"))
        .message(22, text(4, "ratio"))
        .message(22, text(5, "mips"));
    let full = memory(10, 7, 3, 1, 4096)
        .fixed64(5, 0x1000)
        .uint(7, 3)
        .uint(8, 4)
        .fixed64(16, 0xd0)
        .fixed64(17, 0xd1)
        .uint(18, 2)
        .uint(19, 1)
        .fixed64(20, 0xd2)
        .message(9, Message::new().uint(1, 1).uint(4, 2))
        .message(9, Message::new().uint(1, 4).double(3, 0.5))
        .message(9, Message::new().uint(1, 5).int(2, -3))
        .message(9, Message::new().uint(1, 99).int(2, 1));
    let bare = Message::new().uint(1, 77).uint(2, 77);
    let trace = packets([interned(data), packet(10, full), packet(20, bare)]);
    let rows = "SELECT source, operation, timestamp AS ts, pid, memory_type AS type, heap, \
        function_name, scope FROM vulkan_memory_allocations v JOIN process USING (upid) \
        ORDER BY v.id";
    assert_eq!(
        trace.rows(rows),
        "\
source             operation    ts  pid  type  heap  function_name     scope
GPU_DEVICE_MEMORY  CREATE       10  7    2     1     vkAllocateMemory  DEVICE
UNSPECIFIED        UNSPECIFIED  0   0    NULL  NULL  NULL              NULL
"
    );
    let handles = "SELECT id, device, device_memory, object_handle, memory_address, memory_size \
        FROM vulkan_memory_allocations ORDER BY id";
    assert_eq!(
        trace.rows(handles),
        "\
id  device  device_memory  object_handle  memory_address  memory_size
0   208     209            210            4096            4096
1   NULL    NULL           NULL           NULL            NULL
"
    );
    let args = "SELECT key, value_type AS type, int_value AS int, real_value AS real, \
        string_value AS string FROM vulkan_memory_allocations JOIN args USING (arg_set_id) \
        ORDER BY args.id";
    assert_eq!(
        trace.rows(args),
        "\
key    type    int   real  string
usage  string  NULL  NULL  texture
ratio  real    NULL  0.5   NULL
mips   int     -3    NULL  NULL
"
    );
}

#[test]
fn memory_of_a_process_by_scope_and_type() {
    const DRIVER: u64 = 1;
    const DEVICE_MEMORY: u64 = 3;
    const BUFFER: u64 = 4;
    const IMAGE: u64 = 5;
    let scoped = |event: Message| event.uint(8, 2);
    let typed = |event: Message| event.uint(18, 6);
    let trace = packets([
        interned(Message::new()),
        packet(10, scoped(memory(10, 7, DRIVER, 1, 100))),
        packet(20, scoped(memory(20, 7, DRIVER, 1, 50))),
        packet(30, scoped(memory(30, 8, DRIVER, 1, 5))),
        packet(40, scoped(memory(40, 7, DRIVER, 2, 100))),
        // Without a scope it belongs to no counter, and an annotation changes nothing.
        packet(50, memory(50, 7, DRIVER, 1, 1000)),
        packet(60, scoped(memory(60, 7, DRIVER, 5, 1000))),
        packet(70, typed(memory(70, 7, DEVICE_MEMORY, 1, 4096))),
        packet(80, typed(memory(80, 7, BUFFER, 3, 64))),
        packet(90, typed(memory(90, 7, IMAGE, 3, 32))),
        packet(100, typed(memory(100, 7, BUFFER, 4, 64))),
        packet(110, typed(memory(110, 7, DEVICE_MEMORY, 2, 4096))),
    ]);
    let counters = "SELECT ts, pid, t.name, value FROM counter c \
        JOIN process_counter_track t ON track_id = t.id JOIN process USING (upid) ORDER BY ts";
    assert_eq!(
        trace.rows(counters),
        "\
ts   pid  name                                        value
10   7    vulkan.mem.driver.scope.OBJECT              100.0
20   7    vulkan.mem.driver.scope.OBJECT              150.0
30   8    vulkan.mem.driver.scope.OBJECT              5.0
40   7    vulkan.mem.driver.scope.OBJECT              50.0
70   7    vulkan.mem.device.memory.type.6.allocation  4096.0
80   7    vulkan.mem.device.memory.type.6.bind        64.0
90   7    vulkan.mem.device.memory.type.6.bind        96.0
100  7    vulkan.mem.device.memory.type.6.bind        32.0
110  7    vulkan.mem.device.memory.type.6.allocation  0.0
"
    );
    assert_eq!(
        trace.rows(
            "SELECT DISTINCT type, key, int_value, string_value FROM track \
            JOIN args ON dimension_arg_set_id = arg_set_id WHERE key != 'upid' ORDER BY type"
        ),
        "\
type                          key                      int_value  string_value
vulkan_device_mem_allocation  vulkan_memory_type       6          NULL
vulkan_device_mem_bind        vulkan_memory_type       6          NULL
vulkan_driver_mem             vulkan_allocation_scope  NULL       OBJECT
"
    );
}
