import {
  LOSS_OF_PAID_IN_FACTOR_MAX,
  LOSS_PER_ACCOUNT_DAY_NANO_MAX,
  PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX,
  RISK_PER_ACCOUNT_DAY_NANO_MAX,
} from '@/lib/ledger/domain/limits'

/**
 * The start of the period that a key's usage at `at` counts towards. Weeks begin on Monday, days at midnight, all in
 * UTC, whatever the session's time zone.
 */
export const KEY_PERIOD_START = `
create or replace function key_period_start(p_reset_period text, p_at timestamptz) returns timestamptz
language sql stable as $$
  select case p_reset_period
    when 'daily' then date_trunc('day', p_at at time zone 'UTC') at time zone 'UTC'
    when 'weekly' then date_trunc('week', p_at at time zone 'UTC') at time zone 'UTC'
    when 'monthly' then date_trunc('month', p_at at time zone 'UTC') at time zone 'UTC'
    else '-infinity'::timestamptz
  end
$$`

/** What a key may still spend; null without a limit. A hold of an earlier period still counts as held. */
export const KEY_AVAILABLE = `
create or replace function key_available_nano(p_key api_key, p_at timestamptz) returns bigint
language sql stable as $$
  select greatest(0, p_key.usage_limit_nano - p_key.held_nano - case
    when key_period_start(p_key.reset_period, p_at) > p_key.usage_period_start then 0
    else p_key.usage_nano
  end)
  where p_key.usage_limit_nano is not null
$$`

/**
 * Takes the money for one hold: up to `amount_nano`, and at least `minimum_nano`. If the balance affords less than that
 * but `least_nano`, it takes what there is, provided the account's risk of the day leaves room for the rest. If an
 * account's calls of the day have already cost the operator too much, only free calls are allowed. Merged credits share
 * risk and losses, because otherwise the same money would be trusted again on each account that it is moved to.
 * move_holds writes the hold's row, for a whole batch, so an answer with a risk always belongs to a new hold.
 *
 * Two holds competing for the same cent are serialised by the account's row lock: under READ COMMITTED `for update`
 * waits for the current holder and then reads the row as it left it, so that the compared amounts are never stale. The
 * guard in the update and the table's checks repeat the same. The idempotency key is looked up after the lock, so that
 * a parallel retry finds the first one's hold; the unique index backs this up.
 *
 * Deadlocks are impossible: the rows of an account's keys and holds are only locked under the account's lock, and
 * move_holds locks several accounts in ascending order.
 *
 * JSON in and JSON out, with amounts as text: a row of typed columns would cost as much again as the hold itself.
 */
export const TAKE_HOLD = `
create or replace function take_hold(p_request jsonb, p_now timestamptz) returns jsonb language plpgsql as $$
declare
  v_hold_id uuid := p_request ->> 'hold_id';
  v_minimum_nano bigint := p_request ->> 'minimum_nano';
  v_amount_nano bigint := p_request ->> 'amount_nano';
  v_least_nano bigint := p_request ->> 'least_nano';
  v_account_id uuid;
  v_key_id uuid;
  v_key_available bigint;
  v_key_routing jsonb;
  v_available bigint;
  v_affordable bigint;
  v_today date := (p_now at time zone 'UTC')::date;
  v_risk_nano bigint := 0;
  v_risk_nano_max bigint;
  v_has_day boolean;
  v_day_risk bigint := 0;
  v_day_lost bigint;
  v_paid_in bigint;
  v_existing hold;
begin
  if p_request ->> 'credential_kind' = 'credit_id' then
    select a.id, a.balance_nano - a.held_nano, a.risk_day >= v_today or a.merge_group_id is not null
      into v_account_id, v_available, v_has_day
      from account a where a.credit_id_hash = p_request ->> 'secret_hash' for update;
  else
    select k.account_id into v_account_id from api_key k where k.secret_hash = p_request ->> 'secret_hash';
    select a.balance_nano - a.held_nano, a.risk_day >= v_today or a.merge_group_id is not null
      into v_available, v_has_day
      from account a where a.id = v_account_id for update;
    -- Read under the lock: it may have been revoked, expired or used up while this waited.
    select k.account_id, k.id, key_available_nano(k, p_now), k.routing
      into v_account_id, v_key_id, v_key_available, v_key_routing
      from api_key k
      where k.secret_hash = p_request ->> 'secret_hash' and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > p_now);
  end if;
  if v_account_id is null then
    return '{"outcome": "unknown_credential"}';
  end if;

  if p_request ->> 'idempotency_key_hash' is not null then
    select h.* into v_existing from hold h
      where h.account_id = v_account_id and h.idempotency_key_hash = p_request ->> 'idempotency_key_hash';
  else
    select h.* into v_existing from hold h where h.id = v_hold_id;
  end if;
  if v_existing.id = v_hold_id then
    -- The same call again after its connection was lost, when the first had been committed.
    return jsonb_build_object('outcome', 'held', 'account_id', v_account_id, 'key_id', v_key_id,
      'amount_nano', v_existing.amount_nano::text);
  elsif v_existing.id is not null then
    return jsonb_build_object('outcome', 'duplicate', 'account_id', v_account_id,
      'hold_id', v_existing.id, 'state', v_existing.state,
      'same_request', v_existing.request_hash = p_request ->> 'request_hash');
  end if;

  -- What was asked with decides which hosts are asked and how much is held: it must be the key's own.
  if v_key_routing is distinct from nullif(p_request -> 'key_routing', 'null') then
    return jsonb_build_object('outcome', 'other_routing', 'key_routing', v_key_routing);
  end if;

  if v_has_day then
    -- Without the locks of the others: of holds on several that race for what is left each may get it, and so all of
    -- them together what credits would have got that nobody had merged.
    select sum(a.risk_nano) filter (where a.risk_day >= v_today),
        sum(a.lost_nano) filter (where a.risk_day >= v_today), sum(a.balance_nano + a.charged_nano)
      into v_day_risk, v_day_lost, v_paid_in
      from account a where a.id in (
        select v_account_id
        union
        select m.id from account g join account m on m.merge_group_id = g.merge_group_id
          where g.id = v_account_id
      );
    if v_amount_nano > 0 and v_day_lost > 0
      and v_day_lost >= least(${LOSS_OF_PAID_IN_FACTOR_MAX} * v_paid_in, ${LOSS_PER_ACCOUNT_DAY_NANO_MAX})
    then
      return jsonb_build_object('outcome', 'loss_limit_reached', 'retry_after_seconds',
        ceil(extract(epoch from (v_today + 1)::timestamp at time zone 'UTC' - p_now)));
    end if;
  end if;

  v_affordable := least(v_available, v_key_available);
  v_amount_nano := least(v_amount_nano, v_affordable);
  if v_amount_nano < v_minimum_nano then
    v_risk_nano := v_minimum_nano - v_amount_nano;
    v_risk_nano_max := case when v_affordable < v_minimum_nano then ${RISK_PER_ACCOUNT_DAY_NANO_MAX}
      else ${PROMISE_RISK_PER_ACCOUNT_DAY_NANO_MAX} end;
    if v_amount_nano < greatest(v_least_nano, 1)
      or v_risk_nano_max < v_risk_nano + coalesce(v_day_risk, 0)
    then
      return jsonb_build_object(
        'outcome', case when v_key_available < v_minimum_nano then 'key_limit_reached' else 'insufficient_credit' end,
        'available_nano', v_affordable::text);
    end if;
    -- Who waited for the account past midnight may find the next day's risk there.
    update account a
      set risk_nano = case
          when a.risk_day > v_today then a.risk_nano
          else v_risk_nano + case when a.risk_day = v_today then a.risk_nano else 0 end
        end,
        lost_nano = case when a.risk_day >= v_today then a.lost_nano else 0 end,
        risk_day = greatest(a.risk_day, v_today)
      where a.id = v_account_id;
  end if;

  update account a set held_nano = a.held_nano + v_amount_nano
    where a.id = v_account_id and a.balance_nano - a.held_nano >= v_amount_nano;
  if not found then
    raise exception 'the account cannot hold what was just available';
  end if;
  if v_key_id is not null then
    update api_key k set held_nano = k.held_nano + v_amount_nano where k.id = v_key_id;
  end if;
  return jsonb_build_object('outcome', 'held', 'account_id', v_account_id, 'key_id', v_key_id,
    'amount_nano', v_amount_nano::text, 'risk_nano', v_risk_nano::text);
end
$$`
