-- Old name of linux.cpu.utilization.process.

INCLUDE PERFETTO MODULE linux.cpu.utilization.process;
