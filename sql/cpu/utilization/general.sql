-- Old name of linux.cpu.utilization.general.

INCLUDE PERFETTO MODULE linux.cpu.utilization.general;
