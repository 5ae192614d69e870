import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type BodyInFlight, createBodiesInFlight } from './bodies-in-flight'

const LIMITS = { bytesMax: 1_000, perAddressBytesMax: 400, reservedBytes: 200, smallBodyBytes: 50 }
const create = () => createBodiesInFlight({ onVercel: false, limits: LIMITS })
const from = (address: string) => new Headers({ 'x-client-address': address })

/** Opens a body of this size, and reports whether it was evicted. */
function send(inFlight: ReturnType<typeof create>, address: string, byteCount: number) {
  const body = inFlight.open(from(address))
  const state = { body, isRefused: false }
  body.onRefused(() => {
    state.isRefused = true
  })
  body.add(byteCount)
  return state
}

const refusal = expect.objectContaining({ code: 'rate_limited', headers: { 'retry-after': '10' } })

describe('bodies in flight', () => {
  test('are refused only for an address that has used its share', () => {
    const inFlight = create()
    send(inFlight, '192.0.2.1', 400)
    expect(() => send(inFlight, '192.0.2.1', 1)).toThrow(refusal)
    expect(send(inFlight, '192.0.2.2', 400).isRefused).toBe(false)
  })

  test('still accept a small body while large ones are refused', () => {
    const inFlight = create()
    const large = [1, 2, 3].map(index => send(inFlight, `192.0.2.${index}`, 266))
    for (const { body } of large) body.settle()
    expect(() => send(inFlight, '192.0.2.4', 51)).toThrow(refusal)
    const small = send(inFlight, '192.0.2.4', 50)
    // Nor does a large one pass as many small pieces.
    expect(() => small.body.add(1)).toThrow(refusal)
  })

  test('are evicted for an address with fewer bytes, starting with the largest of the address with the most', () => {
    const inFlight = create()
    const heavy = [100, 250, 50].map(byteCount => send(inFlight, '192.0.2.1', byteCount))
    const other = send(inFlight, '192.0.2.2', 390)
    send(inFlight, '192.0.2.3', 100)
    expect([...heavy, other].map(({ isRefused }) => isRefused)).toEqual([false, true, false, false])
    expect(() => heavy[1]?.body.add(1)).toThrow(refusal)
    expect(inFlight.byteCount).toBe(640)
  })

  test('are evicted largest first if two addresses take as much, and the earliest of two as large', () => {
    const inFlight = create()
    const evicted = (bodies: { isRefused: boolean }[]) => bodies.map(({ isRefused }) => isRefused)
    const [one, other] = [
      [200, 100].map(byteCount => send(inFlight, '192.0.2.1', byteCount)),
      [50, 250].map(byteCount => send(inFlight, '192.0.2.2', byteCount)),
    ]
    send(inFlight, '192.0.2.3', 250)
    expect(evicted([...one, ...other])).toEqual([false, false, false, true])
    const alike = create()
    const first = send(alike, '192.0.2.1', 400)
    const second = send(alike, '192.0.2.2', 400)
    send(alike, '192.0.2.3', 250)
    expect(evicted([first, second])).toEqual([true, false])
  })

  test('are not evicted for an address with as many bytes, nor once they are complete', () => {
    const inFlight = create()
    const bodies = [1, 2].map(index => send(inFlight, `192.0.2.${index}`, 400))
    expect(() => send(inFlight, '192.0.2.3', 400)).toThrow(refusal)
    for (const { body } of bodies) body.settle()
    expect(() => send(inFlight, '192.0.2.3', 100)).toThrow(refusal)
    expect(bodies.map(({ isRefused }) => isRefused)).toEqual([false, false])
  })

  test('of forty uploads of thirty megabytes stay within 256 megabytes, and those of one address within less', () => {
    for (const [addressCount, megabytes] of [
      [1, 96],
      [40, 256],
    ] as const) {
      const inFlight = createBodiesInFlight({ onVercel: false })
      for (let index = 0; index < 40; index += 1) {
        const body = inFlight.open(from(`192.0.${index % addressCount}.1`))
        for (let count = 0; count < 480; count += 1) {
          try {
            body.add(64 * 1024)
          } catch {
            body.end()
          }
        }
      }
      expect(inFlight.byteCount).toBeGreaterThan(60 * 1024 * 1024)
      expect(inFlight.byteCount).toBeLessThanOrEqual(megabytes * 1024 * 1024)
    }
  })

  test('never exceed the limit, and each is counted exactly once', () => {
    const action = fc.record({
      kind: fc.constantFrom('open', 'add', 'settle', 'end'),
      which: fc.nat(20),
      address: fc.nat(5),
      byteCount: fc.integer({ min: 1, max: 300 }),
    })
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), actions => {
        const inFlight = create()
        const kept = new Map<BodyInFlight, { address: number; byteCount: number }>()
        for (const { kind, which, address, byteCount } of actions) {
          const [body, state] = [...kept][which % Math.max(kept.size, 1)] ?? []
          if (kind === 'open') {
            const opened = inFlight.open(from(`192.0.2.${address}`))
            opened.onRefused(() => kept.delete(opened))
            kept.set(opened, { address, byteCount: 0 })
          } else if (body && state && kind === 'add') {
            try {
              body.add(byteCount)
              state.byteCount += byteCount
            } catch {
              body.end()
              kept.delete(body)
            }
          } else if (body && kind === 'settle') {
            body.settle()
          } else if (body) {
            body.end()
            kept.delete(body)
            body.end()
          }
          const sum = (of: (state: { address: number }) => boolean) =>
            [...kept.values()].filter(of).reduce((total, each) => total + each.byteCount, 0)
          expect(inFlight.byteCount).toBe(sum(() => true))
          expect(inFlight.byteCount).toBeLessThanOrEqual(LIMITS.bytesMax)
          expect(sum(each => each.address === address)).toBeLessThanOrEqual(LIMITS.perAddressBytesMax)
        }
        for (const body of kept.keys()) body.end()
        expect(inFlight.byteCount).toBe(0)
      }),
    )
  })
})
