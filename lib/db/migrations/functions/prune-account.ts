import { LISTED_MONTH_COUNT } from '@/lib/ledger/domain/limits'

export const KEEP_USAGE_MONTH = `
create or replace function keep_usage_month() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (new.account_id, new.key_id, new.month) is not distinct from (old.account_id, old.key_id, old.month)
      and new.call_count >= old.call_count and new.failed_call_count >= old.failed_call_count
      and new.charged_nano >= old.charged_nano and new.loss_nano >= old.loss_nano
    then
      return new;
    end if;
  end if;
  raise exception 'totals of a month only grow';
end
$$`

export const USAGE_MONTH_ONLY_GROWS = `
create or replace trigger usage_month_only_grows before update on usage_month
  for each row execute function keep_usage_month()`

export const USAGE_MONTH_STAYS = `
create or replace trigger usage_month_stays before delete or truncate on usage_month
  for each statement execute function keep_usage_month()`

/**
 * Adds up to `p_hold_count` of an account's calls, the oldest of those that ended more than `p_month_count` whole
 * months ago, to the totals of their months, and deletes them and their transfers; returns how many. One transaction:
 * if it is killed, nothing has happened, and of two the second continues where the first one stopped.
 *
 * Calls that `ledger:check` needs to compute what a key has used in its period, or what an account risks and loses in a
 * day, are kept. Periods that are over are ended first, as the next call would do.
 */
export const PRUNE_ACCOUNT = `
create or replace function prune_account(p_account_id uuid, p_month_count integer, p_hold_count integer)
returns integer language plpgsql as $$
declare
  v_before timestamptz := date_trunc('month', now() - make_interval(months => p_month_count), 'UTC');
  v_count integer;
begin
  if p_month_count < ${LISTED_MONTH_COUNT} then
    raise exception 'calls of the last ${LISTED_MONTH_COUNT} months can be asked for';
  end if;
  perform from account a where a.id = p_account_id for update;
  update account a set risk_day = null, risk_nano = 0, lost_nano = 0
    where a.id = p_account_id and a.risk_day < (v_before at time zone 'UTC')::date
      and not exists (
        select from hold h where h.account_id = a.id and h.state = 'open' and h.created_at < v_before
      );
  update api_key k set usage_nano = 0, usage_period_start = key_period_start(k.reset_period, v_before)
    where k.account_id = p_account_id and k.reset_period <> 'none'
      and k.usage_period_start < key_period_start(k.reset_period, v_before);

  perform set_config('ledger.pruning', 'on', true);
  with pruned as (
    delete from hold
      where id in (
        select h.id
        from hold h
        join account a on a.id = h.account_id
        left join api_key k on k.id = h.key_id
        where h.account_id = p_account_id and h.state <> 'open'
          and h.created_at < v_before and h.resolved_at < v_before
          and (h.created_at at time zone 'UTC')::date is distinct from a.risk_day
          and (k.reset_period <> 'none' and h.resolved_at >= k.usage_period_start) is not true
        order by h.created_at, h.id
        limit p_hold_count)
      returning id, key_id, created_at, state, charged_nano, loss_nano
  ), added as (
    insert into usage_month as m
      (account_id, key_id, month, call_count, failed_call_count, charged_nano, loss_nano)
      select p_account_id, key_id, date_trunc('month', created_at at time zone 'UTC'), count(*),
        count(*) filter (where state = 'released'), sum(charged_nano), sum(loss_nano)
      from pruned
      group by 2, 3
      on conflict (account_id, month, key_id) do update
        set call_count = m.call_count + excluded.call_count,
          failed_call_count = m.failed_call_count + excluded.failed_call_count,
          charged_nano = m.charged_nano + excluded.charged_nano,
          loss_nano = m.loss_nano + excluded.loss_nano
  ), cleared as (
    delete from transfer where reference in (select 'hold/' || id from pruned)
  )
  select count(*) into v_count from pruned;
  perform set_config('ledger.pruning', 'off', true);
  return v_count;
end
$$`
