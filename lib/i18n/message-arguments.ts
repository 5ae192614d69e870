/**
 * The names of an ICU message's arguments and tags, each with its kind: `count:plural`, `link:tag`. Braces
 * nest in turn: within a message they open an argument, within an argument they open a branch that is a
 * message again.
 */
export function messageArguments(message: string): string[] {
  const found = new Set([...message.matchAll(/<(\w+)>/g)].map(([, tag]) => `${tag}:tag`))
  const stack: ('message' | 'argument')[] = ['message']
  for (let index = 0; index < message.length; index += 1) {
    const character = message[index]
    if (character === '}') stack.pop()
    if (character !== '{') continue
    if (stack.at(-1) === 'argument') {
      stack.push('message')
      continue
    }
    const [, name, kind = 'text'] = /^\{\s*(\w+)\s*(?:,\s*(\w+))?/.exec(message.slice(index)) ?? []
    found.add(`${name}:${kind}`)
    stack.push('argument')
  }
  return [...found].sort()
}
