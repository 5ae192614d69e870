import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { cleanEnvelope } from './clean-envelope'
import { SECRET_FORMS } from './testing'

const EVENT_ID = 'fc6d8c0c43fc4630ad850ee518f1b9d0'

function cleanOne(payload: unknown, type = 'event') {
  return cleanEnvelope([{ event_id: EVENT_ID }, [[{ type }, payload]]])?.[1][0]?.[1]
}

/** An event with the text in every place that an SDK, a later version of it or an integration could use. */
function eventWith(text: string): Record<string, unknown> {
  const frame = {
    filename: text,
    function: text,
    lineno: 1,
    vars: { local: text },
    context_line: text,
    pre_context: [text],
  }
  return {
    event_id: EVENT_ID,
    message: text,
    transaction: text,
    server_name: text,
    user: { id: text, email: text, ip_address: text },
    extra: { [text]: text, deep: { deeper: [text] } },
    tags: { [text]: text, flow: 'chat' },
    fingerprint: [text],
    logentry: { message: text, params: [text] },
    exception: {
      values: [{ type: text, value: text, stacktrace: { frames: [frame] }, mechanism: { data: { text } } }],
    },
    breadcrumbs: [
      { category: text, message: text, data: { url: text, endpoint: text, arguments: [text], from: text } },
    ],
    request: {
      url: text,
      method: 'GET',
      query_string: text,
      cookies: { session: text },
      data: text,
      env: { text },
      headers: {
        Authorization: text,
        Cookie: text,
        Referer: text,
        'User-Agent': 'Browser 1.0',
        'X-Api-Key': text,
      },
    },
    contexts: {
      trace: { trace_id: EVENT_ID, span_id: 'fc6d8c0c43fc4630', data: { 'http.url': text }, op: text },
      state: { value: text },
      response: { cookies: text },
      nextjs: { request_path: text },
    },
    spans: [{ span_id: 'fc6d8c0c43fc4630', description: text, data: { 'http.query': text }, tags: { text } }],
    measurements: { [text]: { value: 1, unit: text } },
    modules: { [text]: text },
    debug_meta: { images: [{ code_file: text, debug_id: text }] },
    something_new: text,
  }
}

describe('an event keeps no', () => {
  test.each(Object.entries(SECRET_FORMS))('%s', (_form, secrets) => {
    fc.assert(
      fc.property(secrets, ({ text, secret }) => {
        for (const type of ['event', 'transaction', 'profile_chunk']) {
          const sent = JSON.stringify(
            cleanEnvelope([
              { trace: { transaction: text, user_id: text }, dsn: text },
              [[{ type, filename: text }, eventWith(text)]],
            ]),
          )
          expect(sent).not.toContain(JSON.stringify(secret).slice(1, -1))
        }
      }),
      { numRuns: 50 },
    )
  })
})

test.each([
  'session',
  'sessions',
  'log',
  'trace_metric',
  'replay_event',
  'replay_recording',
  'attachment',
  'feedback',
  'check_in',
  'span',
  'client_report',
  'constructor',
  '',
])('an item of type "%s" is not sent', type => {
  expect(cleanEnvelope([{}, [[{ type }, { message: 'hello' }]]])).toBeNull()
})

test('allowed items are sent without the others', () => {
  const cleaned = cleanEnvelope([
    {},
    [
      [{ type: 'attachment' }, 'x'],
      [{ type: 'event' }, { message: 'hello' }],
    ],
  ])
  expect(cleaned?.[1]).toEqual([[{ type: 'event' }, { message: 'hello' }]])
})

test('the useful parts of a report stay', () => {
  expect(
    cleanOne({
      event_id: EVENT_ID,
      level: 'warning',
      tags: { flow: 'payment', endpoint: '/keys', status: '401' },
      exception: {
        values: [
          {
            type: 'TypeError',
            value: 'x is not a function',
            stacktrace: { frames: [{ filename: '/_next/a.js', lineno: 3, vars: { a: 1 } }] },
          },
        ],
      },
      breadcrumbs: [
        { category: 'api', timestamp: 1.5, data: { method: 'GET', endpoint: '/keys', status: 401 } },
      ],
      contexts: { trace: { trace_id: EVENT_ID } },
    }),
  ).toEqual({
    event_id: EVENT_ID,
    level: 'warning',
    tags: { flow: 'payment', endpoint: '/keys', status: '401' },
    exception: {
      values: [
        {
          type: 'TypeError',
          value: 'x is not a function',
          stacktrace: { frames: [{ filename: '/_next/a.js', lineno: 3 }] },
        },
      ],
    },
    breadcrumbs: [
      { category: 'api', timestamp: 1.5, data: { method: 'GET', endpoint: '/keys', status: 401 } },
    ],
    contexts: { trace: { trace_id: EVENT_ID } },
  })
})

test('any value can be cleaned', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (headers, payload) => {
      const cleaned = cleanEnvelope([headers, [[{ type: 'event' }, payload]]])
      expect(cleaned?.[1]).toHaveLength(1)
    }),
  )
})
