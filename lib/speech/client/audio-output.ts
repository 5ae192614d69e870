export interface OutputObserver {
  /** The sound is playing: at the beginning, and again after every pause. */
  onPlay: () => void
  /** Paused by this page, by the buttons of a headset, or because the browser refused to start without a tap. */
  onPause: () => void
  /** The share of this sound that has been played, from 0 to 1. */
  onPosition: (share: number) => void
}

/** Plays sounds, one at a time. */
export interface AudioOutput {
  /** Called while a press is handled: Safari lets only an element that was loaded then play a sound that arrives late. */
  prepare(): void
  /** Resolves when the sound is over: played to its end, unplayable, or stopped. Never rejects. */
  play(audio: Blob, speed: number, observer: OutputObserver): Promise<'ended' | 'failed' | 'stopped'>
  pause(): void
  resume(): void
  stop(): void
}

/** The part of an `HTMLAudioElement` that is used here. */
export interface AudioElement extends EventTarget {
  src: string
  defaultPlaybackRate: number
  playbackRate: number
  readonly currentTime: number
  readonly duration: number
  readonly ended: boolean
  load(): void
  play(): Promise<void>
  pause(): void
  removeAttribute(name: string): void
}

/** Uses one audio element for the whole page, because a browser allows again what it has allowed once. */
export function createAudioOutput(createElement: () => AudioElement): AudioOutput {
  let element: AudioElement | null = null
  let stopCurrent: (() => void) | null = null

  function begin(audio: AudioElement, onRefused: () => void): void {
    // Events report success and broken sound; only the promise reports a refusal.
    audio.play().catch((thrown: unknown) => {
      if (thrown instanceof DOMException && thrown.name === 'NotAllowedError') onRefused()
    })
  }

  return {
    prepare() {
      stopCurrent?.()
      element ??= createElement()
      element.load()
    },
    play(sound, speed, observer) {
      stopCurrent?.()
      element ??= createElement()
      const audio = element
      const address = URL.createObjectURL(sound)
      const listening = new AbortController()
      return new Promise(resolve => {
        // Immediately, rather than when the promise settles: the next sound may begin before that.
        const finish = (end: 'ended' | 'failed' | 'stopped') => {
          listening.abort()
          stopCurrent = null
          audio.pause()
          audio.removeAttribute('src')
          URL.revokeObjectURL(address)
          resolve(end)
        }
        stopCurrent = () => finish('stopped')
        const on = (name: string, listener: () => void) =>
          audio.addEventListener(name, listener, { signal: listening.signal })
        on('playing', observer.onPlay)
        // Browsers also fire a pause just before the end.
        on('pause', () => !audio.ended && observer.onPause())
        on('timeupdate', () => observer.onPosition(shareHeard(audio)))
        on('ended', () => finish('ended'))
        on('error', () => finish('failed'))
        audio.src = address
        audio.defaultPlaybackRate = speed
        audio.playbackRate = speed
        begin(audio, observer.onPause)
      })
    },
    pause: () => element?.pause(),
    resume: () => {
      if (element) begin(element, () => undefined)
    },
    stop: () => stopCurrent?.(),
  }
}

function shareHeard({ currentTime, duration }: AudioElement): number {
  return Number.isFinite(duration) && duration > 0 ? Math.min(1, currentTime / duration) : 0
}
