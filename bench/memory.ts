import { readFileSync } from 'node:fs';

/** Unit: bytes. */
export const MEGABYTE = 1_000_000;

/** The memory of a process: what it holds (`VmRSS`), or the most that it has held (`VmHWM`). Linux only. Unit: bytes. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1024;
}
