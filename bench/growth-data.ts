import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { SYSTEM_ACCOUNT_IDS } from '@/lib/db/system-accounts'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { hashOf } from '@/lib/ledger/testing'

/**
 * Books as years of calls would leave them, written in SQL because the verbs would take a day; they satisfy every rule
 * of `ledger:check`. A tenth of all calls belong to the busiest account.
 */
export const ACCOUNT_COUNT = 100_000
/** Calls are spread evenly from that long ago until today. */
const MONTH_COUNT = 36
const FUNDS_NANO = 10_000_000_000_000n
const CHUNK_SIZE = 1_000_000
const BUSIEST = 0
/** One account in this many has a key. */
const KEY_DISTANCE = 5

export const generated = {
  busiest: BUSIEST,
  /** A key of the busiest account that made one in a thousand of its calls. */
  seldomKeyId: uuidOf('key seldom'),
  seldomModelId: 'bench/seldom',
  accountId: (number: number) => uuidOf(`account ${number}`),
  credential: (number: number): Credential => ({ kind: 'credit_id', secretHash: hashOf(`credit ${number}`) }),
  /** The id of one of the busiest account's latest calls. */
  answerId: (holdCount: number) => `gen-${md5(`hold ${holdCount - 10}`)}`,
}

function md5(name: string): string {
  return createHash('md5').update(name).digest('hex')
}

function uuidOf(name: string): string {
  return md5(name).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Needs a migrated database without any credit. */
export async function generateBooks(client: Client, holdCount: number): Promise<void> {
  const indexes = await dropIndexes(client)
  for (let from = 0; from < holdCount; from += CHUNK_SIZE) {
    await client.query(holdsFrom(from, Math.min(from + CHUNK_SIZE, holdCount) - 1, holdCount))
  }
  for (const statement of [TRANSFERS, ACCOUNTS, KEYS, ...indexes]) await client.query(statement)
  await client.query('vacuum analyze')
  await client.query('checkpoint')
}

/** They are created again afterwards, which is ten times as fast as updating them row by row. */
async function dropIndexes(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; create: string }>(`
    select coalesce('alter table ' || i.indrelid::regclass || ' drop constraint ' || c.conname,
        'drop index ' || i.indexrelid::regclass) as drop,
      coalesce('alter table ' || i.indrelid::regclass || ' add constraint ' || c.conname || ' '
        || pg_get_constraintdef(c.oid), pg_get_indexdef(i.indexrelid)) as create
    from pg_index i
    left join pg_constraint c on c.conindid = i.indexrelid
    where i.indrelid in ('hold'::regclass, 'transfer'::regclass)`)
  for (const { drop } of rows) await client.query(drop)
  return rows.map(({ create }) => create)
}

/** Free calls exist in the latest month only, because the sweeper deletes them. */
function holdsFrom(first: number, last: number, holdCount: number): string {
  return `
    insert into hold (id, account_id, key_id, state, amount_nano, charged_nano, loss_nano, idempotency_key_hash,
      request_hash, query_type, query_source, model_id, price_snapshot, usage, expires_at, created_at, resolved_at)
    select md5('hold ' || i)::uuid, md5('account ' || n)::uuid,
      case
        when n = ${BUSIEST} and i % 10000 = 0 then '${generated.seldomKeyId}'::uuid
        when i % 3 = 0 and n % ${KEY_DISTANCE} = 0 then md5('key ' || n)::uuid
      end,
      case when is_free then 'released' else 'settled' end,
      1000000,
      case when is_free then 0 else 700000 + i % 1000 end,
      case when i % 100 = 3 and not is_free then 1000 else 0 end,
      case when i % 2 = 0 then encode(sha256(('key ' || i)::bytea), 'hex') end,
      encode(sha256(('request ' || i)::bytea), 'hex'), 'chat', case when i % 3 = 0 then 'api' else 'web' end,
      case when i % 10000 = 10 then '${generated.seldomModelId}' else 'bench/model-' || i % 40 end,
      '{"prompt": "0.00000105", "completion": "0.0000042", "request": "0", "image": "0.0013"}',
      ${USAGE} || jsonb_build_object('answerId', 'gen-' || md5('hold ' || i), 'inputTokenCount', i % 5000),
      created_at + interval '5 minutes', created_at, created_at + interval '4 seconds'
    from generate_series(${first}, ${last}) i
    cross join lateral (
      select case when i % 10 = 0 then ${BUSIEST} else (hashint8(i) & 2147483647) % ${ACCOUNT_COUNT} end as n,
        now() - interval '${MONTH_COUNT} months' * (1 - (i + 1)::float8 / ${holdCount + 1}) as created_at
    ) call
    cross join lateral (
      select i % 20 = 7 and created_at > now() - interval '29 days' as is_free
    ) kind`
}

const USAGE = `'{"status": "completed", "errorCode": null, "cachedInputTokenCount": 0, "outputTokenCount": 420,
  "reasoningTokenCount": 0, "estimated": false, "costBasis": "upstream_cost", "upstreamId": "main",
  "durationMs": 4000, "timeToFirstTokenMs": 310}'::jsonb`

const TRANSFERS = `
  insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo, created_at)
  select 'hold/' || h.id, leg, payer_id, '${SYSTEM_ACCOUNT_IDS.revenue}', moved_nano, kind, '{}'::jsonb,
    h.resolved_at
  from hold h
  cross join lateral (
    values (0, h.account_id, h.charged_nano, 'charge'),
      (1, '${SYSTEM_ACCOUNT_IDS.operator_loss}', h.loss_nano, 'loss')
  ) legs (leg, payer_id, moved_nano, kind)
  where moved_nano > 0
  union all
  select 'credit/bench-' || n, 0, '${SYSTEM_ACCOUNT_IDS.gateway}', md5('account ' || n)::uuid,
    ${FUNDS_NANO}, 'credit', '{}', now() - interval '${MONTH_COUNT} months'
  from generate_series(0, ${ACCOUNT_COUNT - 1}) n`

const ACCOUNTS = `
  insert into account (id, kind, credit_id_hash, balance_nano, charged_nano, created_at)
  select md5('account ' || n)::uuid, 'credit', encode(sha256(('credit ' || n)::bytea), 'hex'),
    ${FUNDS_NANO} - coalesce(h.charged_nano, 0), coalesce(h.charged_nano, 0), now() - interval '${MONTH_COUNT} months'
  from generate_series(0, ${ACCOUNT_COUNT - 1}) n
  left join (select account_id, sum(charged_nano) as charged_nano from hold group by account_id) h
    on h.account_id = md5('account ' || n)::uuid`

const KEYS = `
  insert into api_key (id, account_id, secret_hash, hint, label, reset_period, usage_period_start, usage_nano,
    charged_nano)
  select key_id, account_id, encode(sha256(key_id::text::bytea), 'hex'), 'abcd', 'bench', 'none', '-infinity',
    coalesce(charged_nano, 0), coalesce(charged_nano, 0)
  from (
    select md5('key ' || n)::uuid as key_id, md5('account ' || n)::uuid as account_id
      from generate_series(0, ${ACCOUNT_COUNT - 1}, ${KEY_DISTANCE}) n
    union all select '${generated.seldomKeyId}', '${generated.accountId(BUSIEST)}'
  ) keys
  left join (select key_id, sum(charged_nano) as charged_nano from hold where key_id is not null group by key_id) h
    using (key_id)`
