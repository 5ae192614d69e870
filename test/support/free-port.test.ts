import { createServer } from 'node:net'
import { expect, jest, test } from '@jest/globals'
import { freePort } from './free-port'
import { listen } from './listen'

test('a free port is none of those that systems give to connections, nor one that is in use', async () => {
  const draw = jest.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.5)
  const { port, stop } = await listen(createServer(), { port: await freePort() })
  expect(port).toBeLessThan(32_768)
  expect(await freePort()).not.toBe(port)
  await stop()
  draw.mockRestore()
})
