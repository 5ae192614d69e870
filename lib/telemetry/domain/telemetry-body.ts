import { z } from 'zod'
import { VITAL_NAMES } from './web-vitals'

/** A page sends at most a view and its four vitals at once; this leaves some room. */
const EVENT_COUNT_MAX = 8
/** Longer paths are not ours. */
const PATH_LENGTH_MAX = 512
/** An hour: a page that has shown nothing by then never will. */
const VITAL_VALUE_MAX = 3_600_000
/** The limit of the analytics service's counters. */
const NUMBER_MAX = 2_147_483_647
const PAGE_COUNT_MAX = 100_000

const path = z.string().startsWith('/').max(PATH_LENGTH_MAX)

/**
 * What our pages send to the server about a visit. Nobody is identified: `visit` is a number that exists only in the
 * page's memory.
 */
export const telemetryBody = z.strictObject({
  /** Random, from when the page was opened. */
  visit: z.int().min(1).max(NUMBER_MAX),
  /** Unix seconds. */
  started_at: z.int().min(1).max(NUMBER_MAX),
  events: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({
          type: z.literal('page_view'),
          path,
          /** The number of the page within the visit, starting at 1. */
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
