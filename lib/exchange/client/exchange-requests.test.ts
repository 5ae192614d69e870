import { expect, test } from '@jest/globals'
import { readPostRefusal } from './exchange-requests'

test('a request that a proxy refuses as too large is too large, and is not our fault', async () => {
  const page = new Response('<html>413 Request Entity Too Large</html>', { status: 413 })
  await expect(readPostRefusal(page)).resolves.toMatchObject({ error: { code: 'request_too_large' } })
})
