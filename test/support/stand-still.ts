/** Keeps this process from doing anything else, as if it were paused: what arrives meanwhile waits to be read. */
export function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}
