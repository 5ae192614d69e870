import { SYSTEM_ACCOUNT_IDS } from '@/lib/db/system-accounts'

const REVENUE = `'${SYSTEM_ACCOUNT_IDS.revenue}'::uuid`
const OPERATOR_LOSS = `'${SYSTEM_ACCOUNT_IDS.operator_loss}'::uuid`

/**
 * Each side by itself first: a hash of accounts, never of transfers. Calls of pruned months are in totals, which
 * say of their charges and losses what the transfers said.
 */
const TRANSFERRED = `
  select account_id, sum(total) as total
  from (
    select credit_account_id as account_id, sum(amount_nano) as total from transfer group by 1
    union all
    select debit_account_id, -sum(amount_nano) from transfer group by 1
    union all
    select account_id, -sum(charged_nano) from usage_month group by 1
    union all
    select ${REVENUE}, sum(charged_nano) + sum(loss_nano) from usage_month
    union all
    select ${OPERATOR_LOSS}, -sum(loss_nano) from usage_month
  ) sides
  group by account_id`

/**
 * Each query finds rows where what is kept differs from what it is recomputed from, as
 * (subject, expected, actual); lib/ledger/README.md has the invariants. `$1` is the most rows wanted.
 */
export const CHECK_QUERIES = {
  'what an account has, less what it owes, is the sum of its transfers': `
    select a.id::text as subject, coalesce(t.total, 0)::bigint as expected,
      a.balance_nano - a.debt_nano as actual
    from account a
    left join (${TRANSFERRED}) t on t.account_id = a.id
    where a.kind = 'credit' and a.balance_nano - a.debt_nano <> coalesce(t.total, 0)
    limit $1`,
  'an account owes only where it has nothing available': `
    select a.id::text as subject, 0::bigint as expected, a.debt_nano as actual
    from account a
    where a.debt_nano < 0 or (a.debt_nano > 0 and a.balance_nano <> a.held_nano)
    limit $1`,
  'what merges have brought an account is the sum of the transfers between people': `
    select a.id::text as subject, coalesce(t.total, 0)::bigint as expected, a.merged_nano as actual
    from account a
    left join (
      select account_id, sum(amount) as total
      from (
        select credit_account_id as account_id, amount_nano as amount
        from transfer where kind in ('merge', 'collection')
        union all
        select debit_account_id, -amount_nano from transfer where kind in ('merge', 'collection')
      ) entries
      group by account_id
    ) t on t.account_id = a.id
    where a.merged_nano <> coalesce(t.total, 0)
    limit $1`,
  'credits that were merged are one group': `
    select t.reference as subject, 0::bigint as expected, t.amount_nano as actual
    from transfer t
    join account d on d.id = t.debit_account_id
    join account c on c.id = t.credit_account_id
    where t.kind in ('merge', 'collection') and (d.merge_group_id = c.merge_group_id) is not true
    limit $1`,
  'nothing is available that answers for a debt': `
    select payer.id::text as subject, 0::bigint as expected,
      least(payer.balance_nano - payer.held_nano, payer.merged_nano) as actual
    from account payer
    where payer.merged_nano > 0 and payer.balance_nano > payer.held_nano and exists (
      select from account debtor
      where debtor.merge_group_id = payer.merge_group_id and debtor.debt_nano > 0 and debtor.merged_nano < 0
    )
    limit $1`,
  'what an account holds is the sum of its open holds': `
    select a.id::text as subject, coalesce(h.total, 0)::bigint as expected, a.held_nano as actual
    from account a
    left join (select account_id, sum(amount_nano) as total from hold where state = 'open' group by account_id) h
      on h.account_id = a.id
    where a.held_nano <> coalesce(h.total, 0)
    limit $1`,
  'what a key holds is the sum of its open holds': `
    select k.id::text as subject, coalesce(h.total, 0)::bigint as expected, k.held_nano as actual
    from api_key k
    left join (select key_id, sum(amount_nano) as total from hold where state = 'open' group by key_id) h
      on h.key_id = k.id
    where k.held_nano <> coalesce(h.total, 0)
    limit $1`,
  "a key's usage is what was charged in its period": `
    select k.id::text as subject, (coalesce(h.total, 0) + coalesce(m.total, 0))::bigint as expected,
      k.usage_nano as actual
    from api_key k
    left join (
      select h.key_id, sum(h.charged_nano) as total
      from hold h join api_key p on p.id = h.key_id and h.resolved_at >= p.usage_period_start
      where h.state = 'settled'
      group by 1
    ) h on h.key_id = k.id
    left join (select key_id, sum(charged_nano) as total from usage_month group by 1) m
      on m.key_id = k.id and k.usage_period_start = '-infinity'
    where k.usage_nano <> coalesce(h.total, 0) + coalesce(m.total, 0)
    limit $1`,
  'what an account was ever charged is the sum of its charges': `
    select a.id::text as subject, coalesce(t.total, 0)::bigint as expected, a.charged_nano as actual
    from account a
    left join (
      select account_id, sum(total) as total
      from (
        select debit_account_id as account_id, sum(amount_nano) as total
          from transfer where kind = 'charge' group by 1
        union all
        select account_id, sum(charged_nano) from usage_month group by 1
      ) charges
      group by 1
    ) t on t.account_id = a.id
    where a.charged_nano <> coalesce(t.total, 0)
    limit $1`,
  'what a key was ever charged is the sum of its charges': `
    select k.id::text as subject, coalesce(h.total, 0)::bigint as expected, k.charged_nano as actual
    from api_key k
    left join (
      select key_id, sum(total) as total
      from (
        select key_id, sum(charged_nano) as total from hold group by 1
        union all
        select key_id, sum(charged_nano) from usage_month group by 1
      ) charges
      group by 1
    ) h on h.key_id = k.id
    where k.charged_nano <> coalesce(h.total, 0)
    limit $1`,
  'a settled hold has the transfers of its charge and its loss, and no other hold has any': `
    select coalesce(h.reference, t.reference) as subject, coalesce(h.amount_nano, 0)::bigint as expected,
      coalesce(t.amount_nano, 0)::bigint as actual
    from (
      select 'hold/' || id as reference, 0 as leg, account_id as payer_id, charged_nano as amount_nano
      from hold where charged_nano > 0
      union all
      select 'hold/' || id, 1, ${OPERATOR_LOSS}, loss_nano from hold where loss_nano > 0
    ) h
    full join (
      select reference, least(leg, 1) as leg, debit_account_id as payer_id, sum(amount_nano) as amount_nano,
        bool_and(kind = (case leg when 0 then 'charge' else 'loss' end) and credit_account_id = ${REVENUE}) as is_due
      from transfer where reference like 'hold/%'
      group by 1, 2, 3
    ) t on t.reference = h.reference and t.leg = h.leg
    where t.amount_nano is distinct from h.amount_nano or t.payer_id <> h.payer_id or not t.is_due
    limit $1`,
  'all accounts that transfers name exist, so that all balances sum to zero': `
    select t.reference as subject, 0::bigint as expected, t.amount_nano as actual
    from transfer t
    where not exists (select from account a where a.id = t.debit_account_id)
      or not exists (select from account a where a.id = t.credit_account_id)
    limit $1`,
  "a merge and a collection move between two people's credits, and nothing else does": `
    select t.reference as subject, 0::bigint as expected, t.amount_nano as actual
    from transfer t
    join account d on d.id = t.debit_account_id
    join account c on c.id = t.credit_account_id
    where (t.kind in ('merge', 'collection')) <> (d.kind = 'credit' and c.kind = 'credit')
      or (t.kind = 'merge') <> (t.reference like 'merge/%')
      or (t.kind = 'collection') <> (t.reference like 'collection/%')
    limit $1`,
  'what an account risks on a day is what its holds of that day risk or lost': `
    select a.id::text as subject, coalesce(h.total, 0)::bigint as expected, a.risk_nano as actual
    from account a
    left join (
      select r.id, sum(case state when 'open' then h.risk_nano when 'settled' then h.loss_nano else 0 end) as total
      from account r
      join hold h on h.account_id = r.id and (h.created_at at time zone 'UTC')::date = r.risk_day
      group by r.id
    ) h on h.id = a.id
    where a.risk_nano <> coalesce(h.total, 0)
    limit $1`,
  'what an account lost on a day is what its calls of that day lost': `
    select a.id::text as subject, coalesce(h.total, 0)::bigint as expected, a.lost_nano as actual
    from account a
    left join (
      select r.id, sum(h.loss_nano) as total
      from account r
      join hold h on h.account_id = r.id and (h.created_at at time zone 'UTC')::date = r.risk_day
      group by r.id
    ) h on h.id = a.id
    where a.lost_nano <> coalesce(h.total, 0)
    limit $1`,
  'a charge is at most its hold': `
    select h.id::text as subject, h.amount_nano as expected, h.charged_nano as actual
    from hold h
    where h.charged_nano > h.amount_nano
    limit $1`,
  'a hold belongs to an account, and its key to the same account': `
    select h.id::text as subject, 0::bigint as expected, h.amount_nano as actual
    from hold h
    left join account a on a.id = h.account_id and a.kind = 'credit'
    left join api_key k on k.id = h.key_id
    where a.id is null or (h.key_id is not null and k.account_id is distinct from h.account_id)
    limit $1`,
  "a month's total belongs to an account, and its key to the same account": `
    select m.account_id::text as subject, 0::bigint as expected, m.charged_nano as actual
    from usage_month m
    left join account a on a.id = m.account_id and a.kind = 'credit'
    left join api_key k on k.id = m.key_id
    where a.id is null or (m.key_id is not null and k.account_id is distinct from m.account_id)
    limit $1`,
  'nothing available is negative': `
    select a.id::text as subject, 0::bigint as expected, (a.balance_nano - a.held_nano) as actual
    from account a
    where a.balance_nano < a.held_nano or a.held_nano < 0
    limit $1`,
} as const

/** The balance of each system account, which is kept nowhere: the sum of its transfers. */
export const SYSTEM_BALANCES_QUERY = `
  select a.kind, coalesce(t.total, 0)::bigint as balance_nano
  from account a
  left join (${TRANSFERRED}) t on t.account_id = a.id
  where a.kind <> 'credit'
  order by a.id`
