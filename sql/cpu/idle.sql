-- Old name of linux.cpu.idle.

INCLUDE PERFETTO MODULE linux.cpu.idle;
