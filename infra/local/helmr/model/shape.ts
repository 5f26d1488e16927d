/** What an item asks for, and what a host has: CPU, memory, lifecycle disk and whole VM slots. */
export interface Shape {
  readonly cpu_millis: number;
  readonly memory_bytes: number;
  readonly disk_bytes: number;
}

/** What the first active host seals for its pool; every later host must be exactly so (helmr-notes 2.5). */
export interface Template extends Shape {
  readonly vm_slots: number;
  /** VM platform, vCPU shape and CPU configuration in one: a restore runs only where it is the same (helmr-notes 3). */
  readonly platform: string;
}

/** Room for VMs; changes while items are packed. */
export interface Room {
  cpu: number;
  memory: number;
  disk: number;
  slots: number;
}

export function roomOf(template: Template): Room {
  const { cpu_millis, memory_bytes, disk_bytes, vm_slots } = template;
  return { cpu: cpu_millis, memory: memory_bytes, disk: disk_bytes, slots: vm_slots };
}

export function fits(room: Room, shape: Shape): boolean {
  return (
    room.slots >= 1 &&
    room.cpu >= shape.cpu_millis &&
    room.memory >= shape.memory_bytes &&
    room.disk >= shape.disk_bytes
  );
}

export function take(room: Room, shape: Shape): void {
  room.slots -= 1;
  room.cpu -= shape.cpu_millis;
  room.memory -= shape.memory_bytes;
  room.disk -= shape.disk_bytes;
}

export function sameTemplate(a: Template, b: Template): boolean {
  return (
    a.cpu_millis === b.cpu_millis &&
    a.memory_bytes === b.memory_bytes &&
    a.disk_bytes === b.disk_bytes &&
    a.vm_slots === b.vm_slots &&
    a.platform === b.platform
  );
}
