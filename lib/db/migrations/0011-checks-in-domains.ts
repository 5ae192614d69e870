import { NANO_MAX } from '@/lib/money/nano'
import type { Migration } from './migration'

/** Every domain: its type, and the check that the columns of that type had until now. */
const DOMAINS = {
  sha256_hex: ['text collate "C"', 'length(value) = 64'],
  nano_amount: ['bigint', `value between 0 and ${NANO_MAX}`],
  positive_nano_amount: ['bigint', `value > 0 and value <= ${NANO_MAX}`],
  nano_total: ['bigint', 'value >= 0'],
  account_kind: [
    'text',
    `value in ('credit', 'gateway', 'promotion', 'operator', 'revenue', 'operator_loss')`,
  ],
  key_reset_period: ['text', `value in ('none', 'daily', 'weekly', 'monthly')`],
  hold_state: ['text', `value in ('open', 'settled', 'released')`],
  query_type: ['text', `value in ('chat', 'image', 'speech', 'transcription')`],
  query_source: ['text', `value in ('web', 'api')`],
  transfer_kind: ['text', `value in ('credit', 'reversal', 'charge', 'loss', 'merge')`],
  transfer_leg: ['smallint', 'value in (0, 1)'],
} as const

/**
 * The same guards at a lower price. PostgreSQL keeps a table's checks as text and reads all of that text
 * anew in every statement that writes to the table: half of the work of a hold and its settlement. A
 * domain's checks are read once per connection. What compares several columns stays with the table, in as
 * few words as it takes.
 *
 * The columns change their types before the domains get their checks: so nothing is rewritten, only read
 * once more, and a small table does not look measured to the planner, which would then scan it for ever.
 */
export const checksInDomains: Migration = {
  name: '0011-checks-in-domains',
  statements: [
    ...Object.entries(DOMAINS).map(([name, [type]]) => `create domain ${name} as ${type}`),
    `alter table account
      drop constraint account_kind_check,
      drop constraint account_credit_id_hash_check,
      drop constraint account_credit_id,
      drop constraint account_system_has_no_cache,
      alter column kind type account_kind,
      alter column credit_id_hash type sha256_hex,
      add constraint account_system_has_no_cache check (
        kind = 'credit' or (credit_id_hash is null and balance_nano = 0 and held_nano = 0)
      )`,
    `alter table api_key
      drop constraint api_key_secret_hash_check,
      drop constraint api_key_usage_limit_nano_check,
      drop constraint api_key_reset_period_check,
      drop constraint api_key_usage_nano_check,
      drop constraint api_key_held_nano_check,
      alter column secret_hash type sha256_hex,
      alter column usage_limit_nano type nano_amount,
      alter column reset_period type key_reset_period,
      alter column usage_nano type nano_total,
      alter column held_nano type nano_total`,
    `alter table hold
      drop constraint hold_state_check,
      drop constraint hold_amount_nano_check,
      drop constraint hold_charge,
      drop constraint hold_loss_nano_check,
      drop constraint hold_idempotency_key_hash_check,
      drop constraint hold_request_hash_check,
      drop constraint hold_query_type_check,
      drop constraint hold_query_source_check,
      drop constraint hold_open_or_resolved,
      alter column state type hold_state,
      alter column amount_nano type nano_amount,
      alter column charged_nano type nano_amount,
      alter column loss_nano type nano_amount,
      alter column idempotency_key_hash type sha256_hex,
      alter column request_hash type sha256_hex,
      alter column query_type type query_type,
      alter column query_source type query_source,
      add constraint hold_open_or_resolved check (
        num_nulls(charged_nano, loss_nano, usage, resolved_at) = case state when 'open' then 4 else 0 end
      )`,
    `alter table transfer
      drop constraint transfer_leg_check,
      drop constraint transfer_amount_nano_check,
      drop constraint transfer_kind_check,
      alter column leg type transfer_leg,
      alter column amount_nano type positive_nano_amount,
      alter column kind type transfer_kind`,
    ...Object.entries(DOMAINS).map(([name, [, check]]) => `alter domain ${name} add check (${check})`),
  ],
}
