import type { Emitter } from 'highlight.js'

/** A piece of code and its scope (`keyword`, `string`…); null for plain code. */
export interface CodeSpan {
  readonly text: string
  readonly scope: string | null
}

/**
 * Collects highlight.js's output as flat spans, so that the elements are made without any HTML text. The innermost
 * scope wins.
 */
export class SpanEmitter implements Emitter {
  readonly spans: CodeSpan[] = []
  readonly #scopes: string[] = []

  startScope(name: string): void {
    this.#scopes.push(name)
  }

  endScope(): void {
    this.#scopes.pop()
  }

  /** highlight.js also calls these older names, though its types omit them. */
  openNode(name: string): void {
    this.startScope(name)
  }

  closeNode(): void {
    this.endScope()
  }

  addText(text: string): void {
    if (text === '') return
    const scope = this.#scopes.at(-1) ?? null
    const last = this.spans.at(-1)
    if (last && last.scope === scope) this.spans[this.spans.length - 1] = { text: last.text + text, scope }
    else this.spans.push({ text, scope })
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof SpanEmitter)) return
    for (const { text, scope } of emitter.spans) {
      if (scope !== null) this.startScope(scope)
      this.addText(text)
      if (scope !== null) this.endScope()
    }
  }

  finalize(): void {}

  /** Required by highlight.js's interface; HTML text is never used. */
  toHTML(): string {
    return ''
  }
}
