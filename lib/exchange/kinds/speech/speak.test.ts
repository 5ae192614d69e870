import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { describeOnPostgres } from '@/lib/db/testing'
import { resumeNameOf } from '@/lib/exchange/engine/request-headers'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { startRedirectingProxy } from '@/test/stand-ins/redirecting-proxy'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import type { Step } from '@/test/stand-ins/upstream-script'
import { newResumeKey, speak, TEXT, TEXT_COST_NANO } from '@/test/support/exchange-calls'
import { bytesOf, responseTo } from '@/test/support/exchange-replies'
import { createCustomerWithNano, standInSettings, waitForUsage } from '@/test/support/exchange-site'
import { startSpeechSite, useStandIns } from '@/test/support/stand-in-upstream'

const HALF = {
  steps: [
    { type: 'raw' as const, text: 'abcd' },
    { type: 'gate' as const, name: 'mid' },
  ],
}

/** A few bytes of sound, as OpenAI's newer models send them. */
const SOUND_EVENT = 'data: {"type":"speech.audio.delta","audio":"AAAAAAAA"}\n\n'

function inEvents(text: string) {
  const steps: Step[] = [{ type: 'raw', text }]
  return { contentType: 'text/event-stream', steps }
}

function asSound(...texts: string[]) {
  return { contentType: 'audio/mpeg', steps: texts.map((text): Step => ({ type: 'raw', text })) }
}

describeOnPostgres('speech', getDatabase => {
  const standIns = useStandIns()
  const site = (options = {}) => startSpeechSite({ database: getDatabase(), standIns, ...options })
  const spoken = () => standIns.openAi.requests.filter(({ path }) => path === '/audio/speech')

  test('without enough balance is refused without an upstream request', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO - 1n)
    await expect(speak(running, customer)).rejects.toMatchObject({
      code: 'insufficient_credit',
      status: 402,
      details: { required_usd: 0.0002, available_usd: 0.000199999 },
    })
    expect(spoken()).toEqual([])
  })

  test('of an account without any credit is refused before its tokens are counted', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 0n)
    const input = 'q z x j '.repeat(50)
    const ask = () => speak(running, customer, { model: 'standin/voice', input })
    const requiredUsd = nanoToUsdNumber(BigInt(estimateTokens(input)) * 10_000n)
    const details = { required_usd: requiredUsd, available_usd: 0 }
    await expect(ask()).rejects.toMatchObject({ code: 'insufficient_credit', details })
    expect(spoken()).toEqual([])
  })

  test('of an unknown credential is refused', async () => {
    const stranger = { accountId: '', credential: { kind: 'credit_id' as const, secretHash: '0'.repeat(64) } }
    await expect(speak(site(), stranger)).rejects.toMatchObject({ status: 401 })
  })

  test.each([
    ['no text', { input: '  ' }],
    ['too long a text', { input: 'x'.repeat(40_001) }],
    ['a number as text', { input: 12 }],
    ['an odd voice', { voice: '../../models' }],
    ['a voice that leads elsewhere', { voice: { id: '..' } }],
    ['an unknown format', { response_format: 'exe' }],
    ['a speed out of reach', { speed: 9 }],
  ])('of %s is refused before anything is held', async (_, fields) => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    await expect(speak(running, customer, fields)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(spoken()).toEqual([])
  })

  test.each(['standin/small', 'standin/whisper', 'nobody/knows'])(
    'of %s, which does not speak, is refused',
    async model => {
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
      await expect(speak(running, customer, { model })).rejects.toMatchObject({ code: 'model_not_found' })
    },
  )

  test('is made by an OpenAI model named without its maker', async () => {
    const id = 'openai/tts-1'
    const prices = { prompt: '0', completion: '0', pricing: { input_character: '0.00002' } }
    standIns.openAi.setModels([standInModel({ id, ...prices, output: ['audio'] })])
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    await bytesOf(await speak(running, customer, { model: 'tts-1' }))
    expect(spoken()[0]?.body).toMatchObject({ model: id })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ modelId: id })
    standIns.openAi.setModels(STAND_IN_MODELS)
  })

  test('is charged by the character, and its price is known before the first sound', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 2n * TEXT_COST_NANO)
    const reply = await speak(running, customer, { instructions: 'Soft 👍.', unknown: true })
    expect(reply.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'x-cost-usd': '0.00034',
      'x-ignored-fields': 'unknown',
    })
    expect((await bytesOf(reply)).byteLength).toBeGreaterThan(400)
    expect(spoken()[0]?.body).toEqual({
      model: 'standin/reader',
      input: TEXT,
      voice: 'alloy',
      instructions: 'Soft 👍.',
    })
    const usage = await running.ledger.getUsage({
      accountId: customer.accountId,
      holdId: reply.headers['x-exchange-id'] ?? '',
    })
    expect(usage).toMatchObject({
      queryType: 'speech',
      status: 'completed',
      chargedNano: (TEXT_COST_NANO * 17n) / 10n,
      inputTokenCount: 17,
      estimated: false,
      priceSnapshot: { input_character: '0.00002' },
    })
  })

  test('of a model without a price per character is charged by the tokens of its text', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const reply = await speak(running, customer, { model: 'standin/voice' })
    await bytesOf(reply)
    // Ten ASCII characters are three tokens, at $0.00001.
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      chargedNano: 30_000n,
      estimated: true,
    })
  })

  test('whose words are letters is charged by as many tokens as its host bills', async () => {
    standIns.openAi.forget()
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 10_000_000n)
    await bytesOf(await speak(running, customer, { model: 'standin/voice', input: 'q z x j '.repeat(50) }))
    const { billedNano } = standIns.openAi.bills()
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: billedNano })
  })

  test('requested 64 times with balance for seven is made seven times', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 7n * TEXT_COST_NANO)
    const asked = await Promise.allSettled(Array.from({ length: 64 }, () => speak(running, customer)))
    const replies = asked.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
    await Promise.all(replies.map(bytesOf))
    expect(replies).toHaveLength(7)
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(balance).toMatchObject({ balanceNano: 0n, heldNano: 0n })
  })

  test('repeated under its idempotency key is the first sound again, without a charge', async () => {
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 3n * TEXT_COST_NANO)
    const options = { idempotencyKey: randomUUID() }
    const first = await speak(running, customer, {}, options)
    const sound = await bytesOf(first)
    const again = await speak(running, customer, {}, options)
    expect(again.headers).toEqual(first.headers)
    expect((await bytesOf(again)).equals(sound)).toBe(true)
    expect(spoken()).toHaveLength(1)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: TEXT_COST_NANO })
    await expect(speak(running, customer, { input: 'Other.' }, options)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    })
  })

  test('whose rest may be fetched has nothing in it but the sound, and is fetched whole', async () => {
    standIns.openAi.setScript({ speech: { steps: [...HALF.steps, { type: 'raw', text: 'efgh' }] } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const resumeKey = newResumeKey()
    const first = await speak(running, customer, {}, { resumeKey })
    await standIns.openAi.gates.reached('mid')
    const resume = (lastEventId: number) =>
      running.exchanges.resume({
        credential: customer.credential,
        name: resumeNameOf(resumeKey),
        resumeKey,
        lastEventId,
        signal: new AbortController().signal,
      })
    const whileRunning = await resume(1)
    standIns.openAi.gates.open('mid')
    const replies = [first, whileRunning]
    const heard = await Promise.all(replies.map(async reply => String(await bytesOf(reply))))
    await waitForUsage(running.ledger, customer)
    expect([...heard, String(await bytesOf(await resume(1)))]).toEqual(['abcdefgh', 'abcdefgh', 'abcdefgh'])
  })

  test('requested in parallel under one idempotency key is held and made once', async () => {
    standIns.openAi.setScript({ speech: HALF })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, 64n * TEXT_COST_NANO)
    const options = { idempotencyKey: randomUUID() }
    const asked = Array.from({ length: 64 }, () => speak(running, customer, {}, options))
    const replies = await Promise.all(asked)
    standIns.openAi.gates.open('mid')
    const sounds = await Promise.all(replies.map(bytesOf))
    expect(new Set(sounds.map(sound => sound.toString('base64'))).size).toBe(1)
    expect(spoken()).toHaveLength(1)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: TEXT_COST_NANO })
  })

  test.each([
    ['an error', { status: 500, body: { error: { message: 'upstream-secret is out of order' } } }, 502],
    ['a page', { contentType: 'text/html', body: '<script>alert(1)</script>' }, 502],
    ['nothing', { steps: [{ type: 'end' as const }] }, 502],
    ['a cut before the first byte', { steps: [{ type: 'destroy' as const }] }, 502],
    [
      'an error in an event',
      inEvents('data: {"error":{"message":"upstream-secret is out of order"}}\n\n'),
      502,
    ],
    ['an error under the type of sound', asSound('{"error":{"message":', '"upstream-secret"}}'), 502],
    ['the exception of a host under that type', asSound('\n{"detail":"upstream-secret"}'), 502],
    ['an error in the last event', inEvents('event: error\ndata: {"type":"error","message":"Gone"}'), 502],
    ['a complaint', { status: 400, body: { error: { message: 'No such voice: bob', param: 'voice' } } }, 400],
  ])('for which the upstream sends %s costs nothing', async (_, speech, status) => {
    standIns.openAi.setScript({ speech })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const failure = await speak(running, customer).catch(error => error)
    expect(failure).toMatchObject({ status })
    expect(failure.message).not.toContain('upstream-secret')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
    const balance = await running.ledger.getBalance({ credential: customer.credential })
    expect(balance).toMatchObject({ balanceNano: TEXT_COST_NANO, heldNano: 0n })
  })

  test('that never starts is given up, and costs nothing', async () => {
    standIns.openAi.setScript({ speech: { beforeHeaders: [{ type: 'hang' }] } })
    const running = site({ times: { firstByteTimeoutMs: 10 } })
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    await expect(speak(running, customer)).rejects.toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
  })

  test('that an upstream breaks off is an error, charged as far as it came', async () => {
    standIns.openAi.setScript({ speech: { steps: [...HALF.steps, { type: 'destroy' }] } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const options = { idempotencyKey: randomUUID() }
    const reply = await speak(running, customer, {}, options)
    const read = bytesOf(reply)
    standIns.openAi.gates.open('mid')
    await expect(read).rejects.toThrow()
    // Four bytes of MP3 are less than a character.
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'failed',
      errorCode: 'upstream_error',
      chargedNano: 20_000n,
      estimated: true,
    })
    await expect(speak(running, customer, {}, options)).rejects.toMatchObject({ code: 'conflict' })
  })

  test.each(['{', `{${'x'.repeat(20_000)}`])('may begin like an error', async text => {
    standIns.openAi.setScript({ speech: asSound(text) })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    expect(String(await bytesOf(await speak(running, customer)))).toBe(text)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({ chargedNano: TEXT_COST_NANO })
  })

  test('as events is passed on unchanged, and charged like other speech', async () => {
    const events = `: begin\n\n${SOUND_EVENT}${SOUND_EVENT}data: {"type":"speech.audio.done"}\n\n`
    standIns.openAi.setScript({ speech: inEvents(events) })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const reply = await speak(running, customer, { stream_format: 'sse' })
    expect(String(await bytesOf(reply))).toBe(events)
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: TEXT_COST_NANO,
    })
  })

  test('as events with CR line ends is charged like other speech', async () => {
    const events = `${SOUND_EVENT}data: {"type":"speech.audio.done"}\n\n`
    standIns.openAi.setScript({ speech: inEvents(events.replaceAll('\n', '\r')) })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const reply = await speak(running, customer, { stream_format: 'sse' })
    expect(String(await bytesOf(reply)).trim()).toBe(events.trim())
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: TEXT_COST_NANO,
    })
  })

  test.each([
    ['an error', SOUND_EVENT, 'data: {"type":"error","error":{"message":"upstream-secret"}}\n\n', 20_000n],
    ['nothing more', ': still here\n\n', '', 0n],
    ['nothing after the end alone', 'data: {"type":"speech.audio.done"}\n\n', '', 0n],
  ])(
    'as events, of which the second is %s, is charged as far as it came',
    async (_, first, then, chargedNano) => {
      const speech = inEvents(first)
      speech.steps.push({ type: 'gate', name: 'mid' }, { type: 'raw', text: then })
      standIns.openAi.setScript({ speech })
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
      const reader = responseTo(await speak(running, customer, { stream_format: 'sse' })).body?.getReader()
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(first)
      standIns.openAi.gates.open('mid')
      await expect(reader?.read()).rejects.toThrow()
      const usage = await waitForUsage(running.ledger, customer)
      expect(usage).toMatchObject({ status: 'failed', chargedNano })
    },
  )

  test('of a client that leaves before the first sound is stopped, and the text sent is charged', async () => {
    standIns.openAi.setScript({ speech: { beforeHeaders: [{ type: 'gate', name: 'begin' }], ...HALF } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const client = new AbortController()
    const asked = speak(running, customer, {}, { signal: client.signal })
    const request = await standIns.openAi.requestTo('/audio/speech')
    client.abort()
    standIns.openAi.gates.open('begin')
    await asked
    expect(await request.ended).toBe('aborted')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'disconnected',
      chargedNano: TEXT_COST_NANO,
    })
  })

  test.each(['leaves', 'cancels'])(
    'of a client that %s in the middle is charged whole, as the upstream bills it',
    async how => {
      standIns.openAi.setScript({ speech: HALF })
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
      const client = new AbortController()
      const reply = await speak(running, customer, {}, { signal: client.signal })
      const reader = responseTo(reply).body?.getReader()
      await reader?.read()
      if (how === 'leaves') client.abort()
      else await reader?.cancel()
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({
        status: 'disconnected',
        chargedNano: TEXT_COST_NANO,
      })
      expect(await spoken()[0]?.ended).toBe('aborted')
    },
  )

  test.each(['before the first sound', 'in the middle'])(
    'of a client that leaves %s is whole under its idempotency key, and charged once',
    async when => {
      const steps: Step[] = [...HALF.steps, { type: 'raw', text: 'efgh' }]
      const gate = { type: 'gate' as const, name: 'begin' }
      standIns.openAi.setScript({ speech: { beforeHeaders: [gate], steps } })
      const running = site()
      const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
      const idempotencyKey = randomUUID()
      const client = new AbortController()
      const asked = speak(running, customer, {}, { idempotencyKey, signal: client.signal })
      await standIns.openAi.gates.reached('begin')
      if (when === 'in the middle') {
        standIns.openAi.gates.open('begin')
        await responseTo(await asked)
          .body?.getReader()
          .read()
      }
      client.abort()
      standIns.openAi.gates.open('begin')
      await standIns.openAi.gates.reached('mid')
      // A pause in which an answer that nobody may ask for again is cut.
      for (let turn = 0; turn < 1_000; turn += 1) await nextTurn()
      standIns.openAi.gates.open('mid')
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({
        status: 'disconnected',
        chargedNano: TEXT_COST_NANO,
      })
      const again = await speak(running, customer, {}, { idempotencyKey })
      expect((await bytesOf(again)).toString()).toBe('abcdefgh')
      expect(spoken()).toHaveLength(1)
    },
  )

  test('waits for a slow reader, and buffers no more than its limit', async () => {
    const flood = Array.from({ length: 64 }, () => ({ type: 'raw' as const, text: 'x'.repeat(256 * 1024) }))
    standIns.openAi.setScript({ speech: { steps: [...flood, { type: 'gate', name: 'last' }] } })
    const running = site()
    const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
    const reply = await speak(running, customer)
    let arrived = false
    void standIns.openAi.gates.reached('last').then(() => {
      arrived = true
    })
    const reader = responseTo(reply).body?.getReader()
    await reader?.read()
    // Many turns of the loop, in which a relay that does not wait would have drained the upstream.
    for (let turn = 0; turn < 500; turn += 1) await new Promise(resolve => setImmediate(resolve))
    expect(arrived).toBe(false)
    await reader?.cancel()
    await waitForUsage(running.ledger, customer)
  })

  test('does not follow a redirect of the upstream', async () => {
    const proxy = await startRedirectingProxy(standIns.openAi.baseUrl)
    try {
      const upstream = standInSettings({ baseUrl: proxy.url }, 'redirecting')
      const running = startSpeechSite({ database: getDatabase(), standIns, moreUpstreams: [upstream] })
      standIns.openAi.setScript({ speech: { status: 503, body: {} } })
      const customer = await createCustomerWithNano(running.ledger, TEXT_COST_NANO)
      // The catalogue has to know the second upstream before it goes astray.
      await running.catalogue.listModels()
      proxy.redirectTo({ status: 307, location: `${standIns.elevenLabs.baseUrl}/stolen` })
      await expect(speak(running, customer)).rejects.toMatchObject({ code: 'upstream_error' })
      expect(proxy.redirected).toEqual(['POST /v1/audio/speech'])
      expect(standIns.elevenLabs.requests.filter(({ path }) => path.endsWith('/stolen'))).toEqual([])
    } finally {
      await proxy.stop()
    }
  })

  test('can last longer than its hold, which is renewed', async () => {
    standIns.openAi.setScript({ speech: HALF })
    const running = site()
    const renewed = Promise.withResolvers<void>()
    let renewalCount = 0
    const ledger: typeof running.ledger = {
      ...running.ledger,
      async renew(input) {
        const result = await running.ledger.renew(input)
        renewalCount += 1
        if (renewalCount === 3) renewed.resolve()
        return result
      },
    }
    const watched = site({ ledger, limits: { holdRenewalIntervalMs: 5 } })
    const customer = await createCustomerWithNano(ledger, TEXT_COST_NANO)
    const reply = await speak(watched, customer)
    await renewed.promise
    standIns.openAi.gates.open('mid')
    await bytesOf(reply)
    expect(await waitForUsage(ledger, customer)).toMatchObject({ status: 'completed' })
  })

  test('that still runs at shutdown is stopped and settled, and nothing new begins', async () => {
    standIns.openAi.setScript({ speech: HALF })
    const running = site({ limits: { drainTimeoutMs: 1 } })
    const customer = await createCustomerWithNano(running.ledger, 2n * TEXT_COST_NANO)
    const reply = await speak(running, customer)
    const read = bytesOf(reply).catch(() => null)
    await running.exchanges.drain()
    expect(await read).toBeNull()
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'failed',
      errorCode: 'internal_error',
    })
    await expect(speak(running, customer)).rejects.toMatchObject({ status: 503 })
  })
})
