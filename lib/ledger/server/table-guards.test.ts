import { expect, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { NANO_MAX } from '@/lib/money/nano'

const ACCOUNT = '10000000-0000-4000-8000-000000000001'
const HOLD = '10000000-0000-4000-8000-000000000002'
const HASH = 'a'.repeat(64)

const VALID_ROWS = [
  `insert into account (id, kind, credit_id_hash, balance_nano) values ('${ACCOUNT}', 'credit', '${HASH}', 100)`,
  `insert into api_key (account_id, secret_hash, hint, label, usage_limit_nano, reset_period, usage_period_start)
    values ('${ACCOUNT}', '${HASH}', '', '', 5, 'none', '-infinity')`,
  `insert into hold (id, account_id, amount_nano, idempotency_key_hash, request_hash, query_type,
      query_source, model_id, price_snapshot, expires_at)
    values ('${HOLD}', '${ACCOUNT}', 10, '${HASH}', '${HASH}', 'chat', 'web', 'm', '{}', now())`,
  `insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
    values ('credit/1', 0, '00000000-0000-4000-8000-000000000001', '${ACCOUNT}', 1, 'credit', '{}')`,
]

const PEOPLE = "where kind = 'credit'"
const OPERATOR = "where kind = 'operator'"
const RESOLVED = `state = 'settled', charged_nano = 1, loss_nano = 0, usage = '{}', resolved_at = now()`
const copyTransfer = (values: string) =>
  `insert into transfer (reference, debit_account_id, memo, leg, credit_account_id, amount_nano, kind)
    select 'credit/2', debit_account_id, memo, ${values} from transfer`

describeOnPostgres('the tables of the ledger', getDatabase => {
  const run = (sql: string) => getDatabase().kysely.executeQuery(CompiledQuery.raw(sql))

  test('refuse every statement that breaks an invariant', async () => {
    for (const row of VALID_ROWS) await run(row)
    for (const [constraint, statement] of [
      ['account_kind_check', `update account set kind = 'nobody' ${PEOPLE}`],
      ['sha256_hex_check', `update account set credit_id_hash = 'abc' ${PEOPLE}`],
      ['account_available_not_negative', `update account set held_nano = 101 ${PEOPLE}`],
      ['nano_total_check', `update account set held_nano = -1 ${PEOPLE}`],
      ['nano_total_check', `update account set debt_nano = -1 ${PEOPLE}`],
      ['nano_total_check', `update account set risk_nano = -1 ${PEOPLE}`],
      ['nano_total_check', `update account set lost_nano = -1 ${PEOPLE}`],
      ['account_debt_leaves_nothing_available', `update account set debt_nano = 1 ${PEOPLE}`],
      ['account_system_has_no_cache', `update account set debt_nano = 1 ${OPERATOR}`],
      ['account_system_has_no_cache', `update account set balance_nano = 1 ${OPERATOR}`],
      [
        'account_system_has_no_cache',
        `update account set balance_nano = 1, held_nano = 1, credit_id_hash = null, kind = 'revenue' ${PEOPLE}`,
      ],
      ['account_system_has_no_cache', `update account set credit_id_hash = repeat('b', 64) ${OPERATOR}`],
      ['sha256_hex_check', `update api_key set secret_hash = ''`],
      ['nano_amount_check', 'update api_key set usage_limit_nano = -1'],
      ['key_reset_period_check', `update api_key set reset_period = 'hourly'`],
      ['nano_total_check', 'update api_key set usage_nano = -1'],
      ['nano_total_check', 'update api_key set held_nano = -1'],
      ['hold_state_check', `update hold set state = 'lost'`],
      ['nano_amount_check', 'update hold set amount_nano = -1'],
      ['nano_amount_check', `update hold set amount_nano = ${NANO_MAX + 1n}`],
      ['nano_amount_check', 'update hold set risk_nano = -1'],
      ['nano_amount_check', `update hold set ${RESOLVED.replace('charged_nano = 1', 'charged_nano = -1')}`],
      ['nano_amount_check', `update hold set ${RESOLVED.replace('loss_nano = 0', 'loss_nano = -1')}`],
      ['hold_open_or_resolved', `update hold set ${RESOLVED.replace('charged_nano = 1, ', '')}`],
      ['hold_open_or_resolved', `update hold set ${RESOLVED.replace('loss_nano = 0, ', '')}`],
      ['hold_open_or_resolved', `update hold set ${RESOLVED.replace("usage = '{}', ", '')}`],
      ['hold_open_or_resolved', `update hold set ${RESOLVED.replace(', resolved_at = now()', '')}`],
      ['hold_open_or_resolved', 'update hold set charged_nano = 0'],
      ['hold_open_or_resolved', 'update hold set resolved_at = now()'],
      ['hold_bounds_charge', `update hold set ${RESOLVED.replace('charged_nano = 1', 'charged_nano = 11')}`],
      ['hold_released_is_free', `update hold set ${RESOLVED.replace('settled', 'released')}`],
      ['sha256_hex_check', `update hold set idempotency_key_hash = 'abc'`],
      ['sha256_hex_check', `update hold set request_hash = 'abc'`],
      ['query_type_check', `update hold set query_type = 'video'`],
      ['query_source_check', `update hold set query_source = 'phone'`],
      ['transfer_leg_check', copyTransfer('-1, credit_account_id, 1, kind')],
      ['positive_nano_amount_check', copyTransfer('0, credit_account_id, 0, kind')],
      ['positive_nano_amount_check', copyTransfer(`0, credit_account_id, ${NANO_MAX + 1n}, kind`)],
      ['transfer_kind_check', copyTransfer(`0, credit_account_id, 1, 'gift'`)],
      ['transfer_two_accounts', copyTransfer('0, debit_account_id, 1, kind')],
    ] as const) {
      await expect(run(statement)).rejects.toMatchObject({ constraint })
    }
    await run(`update hold set ${RESOLVED}`)
  })
})
