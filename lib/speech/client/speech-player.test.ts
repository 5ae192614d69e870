import { describe, expect, jest, test } from '@jest/globals'
import { ApiCallError } from '@/lib/http/client/call-api'
import type { AudioOutput, OutputObserver } from './audio-output'
import { SpeechPlayer, type SpokenMessage } from './speech-player'
import type { SpeechSource } from './speech-source'

/** An output whose sounds begin, progress and end when the test says so. */
class ScriptedOutput implements AudioOutput {
  readonly played: string[] = []
  observer: OutputObserver | null = null
  #finish: (end: 'ended' | 'failed' | 'stopped') => void = () => undefined
  #arrived: () => void = () => undefined

  async play(audio: Blob, _speed: number, observer: OutputObserver) {
    this.observer = observer
    const ended = new Promise<'ended' | 'failed' | 'stopped'>(resolve => {
      this.#finish = resolve
    })
    this.played.push(await audio.text())
    this.#arrived()
    return ended
  }

  /** Resolves when the next sound has been passed to it. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#arrived = resolve
    })
  }

  finish = (end: 'ended' | 'failed') => this.#finish(end)
  pause = () => this.observer?.onPause()
  resume = () => this.observer?.onPlay()
  stop = () => this.#finish('stopped')
  prepare = jest.fn(this.stop)
}

function setUp() {
  const get = jest.fn<SpeechSource['get']>().mockImplementation(async ({ text }) => new Blob([text]))
  const output = new ScriptedOutput()
  const player = new SpeechPlayer({ get }, output)
  const asked = () => get.mock.calls.map(([{ text }]) => text)
  return { get, output, player, asked }
}

const reading = (pieces: string[], messageId = 'one'): SpokenMessage => ({
  messageId,
  modelId: 'a/voice',
  voiceId: 'rachel',
  pieces,
  speed: 1,
  onBought: () => undefined,
})

async function begin({ output, player }: ReturnType<typeof setUp>, what: SpokenMessage) {
  const handedOver = output.next()
  const over = player.play(what)
  await handedOver
  return { over }
}

test('the output is prepared at once, while the press is handled, and not when the sound arrives', () => {
  const { output, player } = setUp()
  void player.play(reading(['a']))
  expect(output.prepare).toHaveBeenCalledTimes(1)
})

describe('a failure', () => {
  test('of the request ends the playback with its error code', async () => {
    const scene = setUp()
    scene.get.mockRejectedValue(new ApiCallError('insufficient_credit'))
    await scene.player.play(reading(['a']))
    expect(scene.player.getSnapshot()).toMatchObject({ status: 'failed', errorCode: 'insufficient_credit' })
    expect(scene.output.played).toEqual([])
  })

  test('to play a piece ends the playback without further requests', async () => {
    const scene = setUp()
    const { over } = await begin(scene, reading(['a', 'b']))
    scene.output.finish('failed')
    await over
    expect(scene.player.getSnapshot()).toMatchObject({ status: 'failed', errorCode: 'playback' })
    expect(scene.asked()).toEqual(['a'])
  })

  test('to load a piece ahead is retried once when the piece is due', async () => {
    const scene = setUp()
    const { over } = await begin(scene, reading(['a', 'b']))
    scene.get.mockRejectedValueOnce(new ApiCallError('upstream_error'))
    scene.output.observer?.onPlay()
    const handedOver = scene.output.next()
    scene.output.finish('ended')
    await handedOver
    scene.output.finish('ended')
    await over
    expect(scene.asked()).toEqual(['a', 'b', 'b'])
    expect(scene.player.getSnapshot().status).toBe('ended')
  })

  test('to start, because the browser refuses autoplay, leaves it paused without further requests', async () => {
    const scene = setUp()
    const { over } = await begin(scene, reading(['a', 'b']))
    scene.output.observer?.onPause()
    expect(scene.player.getSnapshot().status).toBe('paused')
    expect(scene.asked()).toEqual(['a'])
    scene.player.resume()
    expect(scene.player.getSnapshot().status).toBe('playing')
    scene.player.stop()
    await over
  })
})

test('pieces play in order, each loaded while the one before plays', async () => {
  const scene = setUp()
  const { over } = await begin(scene, reading(['aa', 'bb', 'cccc']))
  expect(scene.asked()).toEqual(['aa'])
  scene.output.observer?.onPlay()
  expect(scene.asked()).toEqual(['aa', 'bb'])
  scene.output.observer?.onPosition(0.5)
  expect(scene.player.getSnapshot()).toMatchObject({ status: 'playing', percent: 12 })
  for (const _ of ['bb', 'cccc']) {
    const handedOver = scene.output.next()
    scene.output.finish('ended')
    await handedOver
    scene.output.observer?.onPlay()
  }
  expect(scene.player.getSnapshot().percent).toBe(12)
  scene.output.observer?.onPosition(0.5)
  expect(scene.player.getSnapshot().percent).toBe(75)
  scene.output.finish('ended')
  await over
  expect(scene.output.played).toEqual(['aa', 'bb', 'cccc'])
  expect(scene.player.getSnapshot()).toMatchObject({ status: 'ended', percent: 100 })
})

test('playing another answer stops the first, and its later pieces never play', async () => {
  const scene = setUp()
  const first = await begin(scene, reading(['a', 'b']))
  const second = await begin(scene, reading(['c'], 'two'))
  await first.over
  expect(scene.output.played).toEqual(['a', 'c'])
  expect(scene.player.getSnapshot()).toMatchObject({ messageId: 'two', status: 'loading' })
  scene.output.finish('ended')
  await second.over
})

test('stopping while a piece loads plays nothing', async () => {
  const scene = setUp()
  const over = scene.player.play(reading(['a']))
  scene.player.stop()
  await over
  expect(scene.output.played).toEqual([])
  expect(scene.player.getSnapshot().status).toBe('idle')
})

test('a subscriber is called for changes only, until it unsubscribes', async () => {
  const scene = setUp()
  const listener = jest.fn()
  const unsubscribe = scene.player.subscribe(listener)
  scene.player.stop()
  expect(listener).not.toHaveBeenCalled()
  const { over } = await begin(scene, reading(['a']))
  expect(listener).toHaveBeenCalledTimes(1)
  unsubscribe()
  scene.player.stop()
  await over
  expect(listener).toHaveBeenCalledTimes(1)
})
