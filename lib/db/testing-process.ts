import 'server-only'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'

/** A TypeScript program in a process of its own, for tests of what happens between processes. */
export class TestProcess {
  readonly #child: ChildProcess
  readonly #lines: Interface
  readonly #exit: Promise<unknown>
  readonly output: string[] = []

  /** @param program path from the repository's root */
  constructor(program: string, programArguments: readonly string[]) {
    this.#child = spawn(
      process.execPath,
      ['--conditions=react-server', '--import', 'tsx', program, ...programArguments],
      // Jest's own flags must not reach it. Its errors go to this process's stderr.
      { env: { ...process.env, NODE_OPTIONS: '' }, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    if (!this.#child.stdout) throw new Error('The process has no output.')
    this.#exit = once(this.#child, 'exit')
    this.#lines = createInterface({ input: this.#child.stdout })
    this.#lines.on('line', line => this.output.push(line))
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The process did not start.')
    return this.#child.pid
  }

  /** Resolves once that many lines have come. @throws if the process ends before that */
  async waitForLines(count: number): Promise<readonly string[]> {
    while (this.output.length < count) {
      const ended = await Promise.race([
        once(this.#lines, 'line').then(() => false),
        this.#exit.then(() => true),
      ])
      if (ended && this.output.length < count) {
        throw new Error(`The process ended early: ${this.output.join('\n')}`)
      }
    }
    return this.output
  }

  /** Immediately, without a chance to clean up. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }
}
