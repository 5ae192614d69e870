/**
 * Ends one open hold, once: `settled` at a cost, or `released` at none.
 *
 * Racing finishers wait for each other at the account's row lock; the later one's update then finds
 * `state = 'open'` no longer true and changes nothing, and reads what the first one charged. The
 * transfer's primary key says the same again. Locks are taken as place_hold describes.
 *
 * `absorbed_nano` is what an upstream bills although nobody owes it: the operator's loss beside any other, and
 * no risk that the account took.
 *
 * Charged is the cost up to the hold, whatever else is available: the hold is what was promised. The rest is
 * the operator's loss. A sweeper asks for `expired`: a hold that was renewed meanwhile stays open, any other
 * is settled for what its last checkpoint says, and released where it has none.
 */
export const RESOLVE_HOLD = `
create or replace function resolve_hold(p_request jsonb) returns jsonb language plpgsql as $$
declare
  c_revenue constant uuid := '00000000-0000-4000-8000-000000000004';
  c_operator_loss constant uuid := '00000000-0000-4000-8000-000000000005';
  v_now timestamptz := clock_timestamp();
  v_hold_id uuid := p_request ->> 'hold_id';
  v_state text := p_request ->> 'state';
  v_cost_nano bigint := p_request ->> 'cost_nano';
  v_absorbed bigint := coalesce((p_request ->> 'absorbed_nano')::bigint, 0);
  v_usage jsonb := p_request -> 'usage';
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
begin
  select h.account_id, h.key_id, h.amount_nano, h.risk_nano, (h.created_at at time zone 'UTC')::date,
      h.checkpoint
    into v_account_id, v_key_id, v_held, v_risk, v_risk_day, v_checkpoint
    from hold h where h.id = v_hold_id;
  if not found then
    return '{"outcome": "unknown_hold"}';
  end if;
  select a.balance_nano into v_balance from account a where a.id = v_account_id for update;
  if v_state = 'expired' and v_checkpoint is null then
    v_state := 'released';
  elsif v_state = 'expired' then
    -- A renewal that has brought another one since has also moved the expiry, and this ends nothing.
    v_state := 'settled';
    v_cost_nano := v_checkpoint ->> 'cost_nano';
    v_usage := (v_checkpoint -> 'usage') || jsonb_build_object(
      'status', v_usage -> 'status', 'errorCode', v_usage -> 'errorCode');
  end if;
  v_charged := least(v_cost_nano, v_held);
  v_loss := v_cost_nano - v_charged;
  if p_request ->> 'state' = 'settled' then
    -- A part of what the account risks, like any loss beside a charge; what failed altogether is not.
    v_loss := v_loss + v_absorbed;
    v_absorbed := 0;
  end if;

  update hold h
    set state = v_state, usage = v_usage, checkpoint = null, resolved_at = v_now,
      charged_nano = v_charged, loss_nano = v_loss + v_absorbed
    where h.id = v_hold_id and h.state = 'open'
      and (p_request ->> 'state' <> 'expired' or h.expires_at <= v_now);
  if not found then
    select h.state, coalesce(h.charged_nano, 0) into v_state, v_charged from hold h where h.id = v_hold_id;
    return jsonb_build_object('outcome', 'already_resolved', 'state', v_state,
      'charged_nano', v_charged::text, 'balance_nano', v_balance::text);
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
          when key_period_start(k.reset_period, v_now) > k.usage_period_start then v_charged
          when key_period_start(k.reset_period, v_now) = k.usage_period_start then k.usage_nano + v_charged
          else k.usage_nano
        end,
        usage_period_start = greatest(k.usage_period_start, key_period_start(k.reset_period, v_now))
      where k.id = v_key_id;
  end if;
  if v_risk > 0 or v_loss > 0 then
    -- What was risked when the hold was placed gives way to what was lost, on the day that it was placed.
    update account a
      set risk_nano = case
          when a.risk_day = v_risk_day then a.risk_nano - v_risk + v_loss
          when a.risk_day > v_risk_day then a.risk_nano
          else v_loss
        end,
        risk_day = greatest(a.risk_day, v_risk_day)
      where a.id = v_account_id;
  end if;
  if v_charged > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values ('hold/' || v_hold_id, 0, v_account_id, c_revenue, v_charged, 'charge', '{}');
  end if;
  if v_loss + v_absorbed > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values ('hold/' || v_hold_id, 1, c_operator_loss, c_revenue, v_loss + v_absorbed, 'loss', '{}');
  end if;
  if v_group_id is not null and v_freed > 0 then
    perform collect_debts(v_group_id, 'hold/' || v_hold_id);
    select a.balance_nano into v_balance from account a where a.id = v_account_id;
  end if;
  return jsonb_build_object('outcome', 'resolved', 'state', v_state, 'charged_nano', v_charged::text,
    'loss_nano', (v_loss + v_absorbed)::text, 'balance_nano', v_balance::text);
end
$$`
