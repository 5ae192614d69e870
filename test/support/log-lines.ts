import { jest } from '@jest/globals'

/** What is written to the operator's log from here on, and not shown. */
export function listenToLog() {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
  const text = () => write.mock.calls.map(([chunk]) => String(chunk)).join('')
  const lines = () =>
    text()
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map((line): Record<string, unknown> => JSON.parse(line))
  return {
    text,
    lines,
    messages: () => lines().map(({ message }) => String(message)),
    stop: () => write.mockRestore(),
  }
}
