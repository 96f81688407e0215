-- Old name of linux.cpu.utilization.slice.

INCLUDE PERFETTO MODULE linux.cpu.utilization.slice;
