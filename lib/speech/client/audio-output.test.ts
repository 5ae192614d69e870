import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { type AudioElement, createAudioOutput } from './audio-output'

class FakeAudio extends EventTarget implements AudioElement {
  src = ''
  defaultPlaybackRate = 1
  playbackRate = 1
  currentTime = 0
  duration = Number.NaN
  ended = false
  load = jest.fn()
  play = jest.fn(async () => undefined)
  pause = jest.fn()
  removeAttribute = () => {
    this.src = ''
  }
}

const observer = () => ({ onPlay: jest.fn(), onPause: jest.fn(), onPosition: jest.fn() })
const revoke = jest.spyOn(URL, 'revokeObjectURL')

let element: FakeAudio
let output: ReturnType<typeof createAudioOutput>

beforeEach(() => {
  element = new FakeAudio()
  output = createAudioOutput(() => element)
})
afterEach(() => {
  jest.clearAllMocks()
})

test('autoplay that the browser refuses is reported as a pause, and resume starts it', async () => {
  const watching = observer()
  element.play.mockRejectedValueOnce(new DOMException('', 'NotAllowedError'))
  const end = output.play(new Blob(['a']), 1, watching)
  await Promise.resolve()
  await Promise.resolve()
  expect(watching.onPause).toHaveBeenCalledTimes(1)
  output.resume()
  expect(element.play).toHaveBeenCalledTimes(2)
  output.stop()
  expect(await end).toBe('stopped')
})

test('the element that plays a sound was loaded before, and what it played then is over', async () => {
  const before = output.play(new Blob(['a']), 1, observer())
  output.prepare()
  expect(await before).toBe('stopped')
  expect(element.load).toHaveBeenCalledTimes(1)
  expect(element.src).toBe('')
})

test('sound that cannot be played fails, and its object URL is revoked', async () => {
  const end = output.play(new Blob(['a']), 1, observer())
  const address = element.src
  element.dispatchEvent(new Event('error'))
  expect(await end).toBe('failed')
  expect(revoke).toHaveBeenCalledWith(address)
})

test('speed, position and end are reported, and the pause event at the end is not', async () => {
  const watching = observer()
  const end = output.play(new Blob(['a']), 1.5, watching)
  expect(element.playbackRate).toBe(1.5)
  element.dispatchEvent(new Event('playing'))
  element.dispatchEvent(new Event('timeupdate'))
  element.duration = 4
  element.currentTime = 1
  element.dispatchEvent(new Event('timeupdate'))
  element.ended = true
  element.dispatchEvent(new Event('pause'))
  element.dispatchEvent(new Event('ended'))
  expect(await end).toBe('ended')
  expect(watching.onPlay).toHaveBeenCalledTimes(1)
  expect(watching.onPosition.mock.calls).toEqual([[0], [0.25]])
  expect(watching.onPause).not.toHaveBeenCalled()
})

test('a second sound stops the first, and late events of the first do not affect it', async () => {
  const first = observer()
  const second = observer()
  const firstEnd = output.play(new Blob(['a']), 1, first)
  const secondEnd = output.play(new Blob(['b']), 1, second)
  expect(await firstEnd).toBe('stopped')
  expect(element.src).toMatch(/^blob:/)
  element.dispatchEvent(new Event('playing'))
  expect(first.onPlay).not.toHaveBeenCalled()
  expect(second.onPlay).toHaveBeenCalledTimes(1)
  element.dispatchEvent(new Event('ended'))
  expect(await secondEnd).toBe('ended')
})
