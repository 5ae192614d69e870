import { z } from 'zod'
import { VITAL_NAMES } from './web-vitals'

/** A page tells a view and its four vitals at once at most, with some room. */
const EVENT_COUNT_MAX = 8
/** Longer paths are none of ours. */
const PATH_LENGTH_MAX = 512
/** An hour, in which a page that has not shown anything never will. */
const VITAL_VALUE_MAX = 3_600_000
/** Fits the counters of the analytics service. */
const NUMBER_MAX = 2_147_483_647
const PAGE_COUNT_MAX = 100_000

const path = z.string().startsWith('/').max(PATH_LENGTH_MAX)

/** What our pages tell the server about a visit. Nobody is named: `visit` is a number that lives as long as
 * the page does, in its memory alone. */
export const telemetryBody = z.strictObject({
  /** Drawn when the page was opened. */
  visit: z.int().min(1).max(NUMBER_MAX),
  /** Unix seconds. */
  started_at: z.int().min(1).max(NUMBER_MAX),
  events: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('page_view'),
          path,
          /** Which page of the visit this is, from 1. */
          count: z.int().min(1).max(PAGE_COUNT_MAX),
        }),
        z.strictObject({
          type: z.literal('vital'),
          path,
          name: z.enum(VITAL_NAMES),
          value: z.number().min(0).max(VITAL_VALUE_MAX),
        }),
      ]),
    )
    .min(1)
    .max(EVENT_COUNT_MAX),
})

export type TelemetryBody = z.output<typeof telemetryBody>
export type TelemetryEvent = TelemetryBody['events'][number]
