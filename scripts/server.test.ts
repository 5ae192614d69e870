import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { bareEnvironment } from '@/test/support/bare-environment'

test('a port in use ends the start with one sentence', async () => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  const address = other.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  const ended = await startWithPort(String(address.port))
  other.close()
  expect(ended).toEqual({
    exitCode: 1,
    output: '',
    errors: `\nPort ${address.port} is in use: stop what listens there, or set PORT to another.\n`,
  })
})

test('a port that is no number ends the start with one sentence', async () => {
  expect(await startWithPort('http')).toEqual({
    exitCode: 1,
    output: '',
    errors: '\nPort http is not a number from 1 to 65535: set PORT to another.\n',
  })
})

async function startWithPort(port: string) {
  const server = spawn(process.execPath, ['--no-warnings', 'scripts/server.ts'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: bareEnvironment({ PORT: port }),
  })
  const [output, errors, [exitCode]] = await Promise.all([
    text(server.stdout),
    text(server.stderr),
    once(server, 'exit'),
  ])
  return { exitCode, output, errors }
}
