import { jest } from '@jest/globals'

/** Collects what is written to the operator's log from now on, without showing it. */
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
