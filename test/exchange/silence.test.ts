import { expect, test } from '@jest/globals'
import type { Step } from '@/test/stand-ins/upstream-script'
import { describeSite } from './site'

const COMMENT = ': waiting for the model\n\n'
const SECOND_MS = 1_000
const gate = (name: string) => ({ type: 'gate', name }) as const
const word = (text: string): Step => ({ type: 'text', text })
const countOf = (part: string, text: string) => text.split(part).length - 1

describeSite('a model that is silent', { host: 'plain' }, site => {
  test('for 15 seconds has its reader told so at once, and again only after as long a silence', async () => {
    const steps = ['one', 'two', 'three', 'four'].flatMap((name): Step[] => [word(name), gate(name)])
    site.upstream.setScript({ chat: { beforeHeaders: [gate('thought')], steps } })
    const customer = await site.fund(1)
    const asked = customer.chat({ stream: true })
    await site.upstream.gates.reached('thought')
    await site.clock.pass(15 * SECOND_MS)
    const reader = readerOf(await asked)
    await reader.upTo(COMMENT)
    site.upstream.gates.open('thought')
    for (const name of ['one', 'two', 'three']) {
      await reader.upTo(`"${name}"`)
      await site.clock.pass(10 * SECOND_MS)
      site.upstream.gates.open(name)
    }
    await reader.upTo('"four"')
    expect(countOf(COMMENT, reader.seen)).toBe(1)
    await site.clock.pass(15 * SECOND_MS)
    expect(countOf(COMMENT, await reader.upTo(COMMENT, 2))).toBe(2)
    site.upstream.gates.open('four')
    expect(await reader.toEnd()).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('while it speaks has no comment in its sound', async () => {
    const sound = 'RIFF and more'
    const steps: Step[] = [{ type: 'raw', text: sound }, gate('mid'), { type: 'raw', text: sound }]
    site.upstream.setScript({ speech: { steps } })
    const customer = await site.fund(1)
    const reader = readerOf(await customer.speak())
    await reader.upTo(sound)
    await site.clock.pass(20 * SECOND_MS)
    site.upstream.gates.open('mid')
    expect(await reader.toEnd()).toBe(sound + sound)
  })
})

function readerOf({ body }: Response) {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  /** @returns false at the end */
  const read = async () => {
    const { done = true, value } = (await reader?.read()) ?? {}
    seen += decoder.decode(value, { stream: true })
    return !done
  }
  return {
    get seen() {
      return seen
    },
    async upTo(part: string, count = 1): Promise<string> {
      while (countOf(part, seen) < count)
        if (!(await read())) throw new Error(`ended without ${part}: ${seen}`)
      return seen
    },
    async toEnd(): Promise<string> {
      while (await read());
      return seen
    },
  }
}
