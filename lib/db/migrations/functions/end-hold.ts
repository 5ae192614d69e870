import { SYSTEM_ACCOUNT_IDS } from '../../system-accounts'

/**
 * Ends one open hold, once: `settled` at a cost, or `released` without one. This writes what it takes from the account
 * and its key; move_holds writes the hold's row and the transfers, for a whole batch.
 *
 * Concurrent finishers wait for each other at the account's row lock; the later one then reads that the hold is no
 * longer open, and what the first one charged. The condition of the update guards the same a second time, and the
 * transfer's primary key a third time. Locks are taken as described at take_hold.
 *
 * `absorbed_nano` is what an upstream bills although nobody owes it: a loss of the operator's like any other, but not a
 * risk that the account took. All losses by an account's calls of one day are added up, and take_hold limits them.
 *
 * The cost is charged up to the hold, whatever else is available, because the hold is what was promised. The rest is
 * the operator's loss. A sweeper sends `expired`: a hold that was renewed meanwhile stays open, and any other is
 * settled at its last checkpoint, or released if that has no cost, or if there is none.
 *
 * A call may outlive its hold, as when the database's clock jumps. The sweeper's charge then stands, as the customer has
 * seen it; what the call did cost beyond that is the operator's loss, once, by a transfer of its own.
 */
export const END_HOLD = `
create or replace function end_hold(p_request jsonb, p_now timestamptz) returns jsonb language plpgsql as $$
declare
  v_hold_id uuid := p_request ->> 'hold_id';
  v_state text := p_request ->> 'state';
  v_cost_nano bigint := p_request ->> 'cost_nano';
  v_absorbed bigint := coalesce((p_request ->> 'absorbed_nano')::bigint, 0);
  v_usage jsonb;
  v_known_state text;
  v_known_status text;
  v_expires_at timestamptz;
  v_checkpoint jsonb;
  v_account_id uuid;
  v_key_id uuid;
  v_held bigint;
  v_risk bigint;
  v_risk_day date;
  v_freed bigint;
  v_group_id uuid;
  v_balance bigint;
  v_charged bigint;
  v_loss bigint;
  v_late_loss bigint;
begin
  select a.id, a.merge_group_id into v_account_id, v_group_id
    from hold h join account a on a.id = h.account_id where h.id = v_hold_id;
  if not found then
    return '{"outcome": "unknown_hold"}';
  end if;
  -- A batch has locked its accounts, and may wait for no others.
  if v_group_id is not null and not (p_request ? 'is_batched') and exists (
    select from account d where d.merge_group_id = v_group_id and d.debt_nano > 0 and d.merged_nano < 0
  ) then
    perform lock_merged(array[v_account_id]);
  end if;
  select a.balance_nano into v_balance from account a where a.id = v_account_id for update;
  if v_state = 'expired' then
    -- A renewal does not wait for the account; one that comes now is too late.
    perform from hold h where h.id = v_hold_id for update;
  end if;
  -- Read under the lock: it may have been ended or renewed while this waited.
  select h.state, h.expires_at, h.key_id, h.amount_nano, h.risk_nano, (h.created_at at time zone 'UTC')::date,
      h.checkpoint, h.charged_nano, h.loss_nano, h.usage ->> 'status'
    into v_known_state, v_expires_at, v_key_id, v_held, v_risk, v_risk_day, v_checkpoint, v_charged, v_loss,
      v_known_status
    from hold h where h.id = v_hold_id;
  if v_known_status = 'expired' and v_cost_nano + v_absorbed > v_charged + v_loss then
    v_loss := v_cost_nano + v_absorbed - v_charged - v_loss;
    -- First, since a sweep deletes old free calls without the account's lock.
    update hold h set loss_nano = h.loss_nano + v_loss
      where h.id = v_hold_id
        and not exists (select from transfer t where t.reference = 'hold/' || v_hold_id and t.leg = 2);
    if found then
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values ('hold/' || v_hold_id, 2, '${SYSTEM_ACCOUNT_IDS.operator_loss}', '${SYSTEM_ACCOUNT_IDS.revenue}',
          v_loss, 'loss', '{}');
      v_late_loss := v_loss;
      update account a
        set risk_nano = a.risk_nano + case v_known_state when 'settled' then v_loss else 0 end,
          lost_nano = a.lost_nano + v_loss
        where a.id = v_account_id and a.risk_day = v_risk_day;
      update account a
        set risk_nano = case v_known_state when 'settled' then v_loss else 0 end, lost_nano = v_loss,
          risk_day = v_risk_day
        where a.id = v_account_id and (a.risk_day is null or a.risk_day < v_risk_day);
    end if;
  end if;
  if v_known_state <> 'open' or (v_state = 'expired' and v_expires_at > p_now) then
    return jsonb_strip_nulls(jsonb_build_object('outcome', 'already_resolved', 'state', v_known_state,
      'charged_nano', coalesce(v_charged, 0)::text, 'balance_nano', v_balance::text,
      'loss_nano', v_late_loss::text));
  end if;
  if v_state = 'expired' and v_checkpoint is null then
    v_state := 'released';
  elsif v_state = 'expired' then
    v_cost_nano := v_checkpoint ->> 'cost_nano';
    v_absorbed := coalesce((v_checkpoint ->> 'absorbed_nano')::bigint, 0);
    v_state := case when v_cost_nano > 0 then 'settled' else 'released' end;
    v_usage := (v_checkpoint -> 'usage') || jsonb_build_object(
      'status', p_request -> 'usage' -> 'status', 'errorCode', p_request -> 'usage' -> 'errorCode');
  end if;
  v_charged := least(v_cost_nano, v_held);
  v_loss := v_cost_nano - v_charged;
  if v_state = 'settled' then
    -- A part of what the account risks, like any loss beside a charge; what failed altogether is not.
    v_loss := v_loss + v_absorbed;
    v_absorbed := 0;
  end if;

  -- What the account owes is paid from what becomes free before any of it is available.
  v_freed := v_held - v_charged;
  update account a
    set held_nano = a.held_nano - v_held,
      balance_nano = a.balance_nano - v_charged - least(a.debt_nano, v_freed),
      debt_nano = a.debt_nano - least(a.debt_nano, v_freed),
      charged_nano = a.charged_nano + v_charged
    where a.id = v_account_id
    returning a.balance_nano, a.merge_group_id into v_balance, v_group_id;
  if v_key_id is not null then
    -- Where another charge has begun the next period meanwhile, this one belongs to the period before.
    update api_key k
      set held_nano = k.held_nano - v_held,
        charged_nano = k.charged_nano + v_charged,
        usage_nano = case
          when key_period_start(k.reset_period, p_now) > k.usage_period_start then v_charged
          when key_period_start(k.reset_period, p_now) = k.usage_period_start then k.usage_nano + v_charged
          else k.usage_nano
        end,
        usage_period_start = greatest(k.usage_period_start, key_period_start(k.reset_period, p_now))
      where k.id = v_key_id;
  end if;
  if v_risk > 0 or v_loss > 0 or v_absorbed > 0 then
    -- What was risked when the hold was placed gives way to what was lost, on the day that it was placed.
    update account a
      set risk_nano = case
          when a.risk_day = v_risk_day then a.risk_nano - v_risk + v_loss
          when a.risk_day > v_risk_day then a.risk_nano
          else v_loss
        end,
        lost_nano = case
          when a.risk_day = v_risk_day then a.lost_nano + v_loss + v_absorbed
          when a.risk_day > v_risk_day then a.lost_nano
          else v_loss + v_absorbed
        end,
        risk_day = greatest(a.risk_day, v_risk_day)
      where a.id = v_account_id;
  end if;
  if v_group_id is not null and v_freed > 0 then
    perform collect_debts(v_group_id, 'hold/' || v_hold_id);
    select a.balance_nano into v_balance from account a where a.id = v_account_id;
  end if;
  return jsonb_build_object('outcome', 'resolved', 'state', v_state, 'account_id', v_account_id, 'usage', v_usage,
    'charged_nano', v_charged::text, 'loss_nano', (v_loss + v_absorbed)::text, 'balance_nano', v_balance::text);
end
$$`
