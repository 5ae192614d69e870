/**
 * Ends an open hold, once: settles it at a cost, or releases it at none (`p_state`).
 *
 * Racing finishers meet at the hold's row: the update waits for the one before, then re-checks
 * `state = 'open'` on the row as that one left it, finds it closed and changes nothing; the loser reads
 * what the winner charged. The transfer's unique reference says the same again.
 *
 * Charged is the cost up to the hold plus what the account, and the key's limit, still have; the rest is
 * the operator's loss. A sweeper passes `p_only_expired`, so that a hold renewed meanwhile stays open.
 */
export const RESOLVE_HOLD = `
create function resolve_hold(
  p_hold_id uuid, p_state text, p_cost_nano bigint, p_usage jsonb, p_only_expired boolean,
  out outcome text, out hold_state text, out charged_nano bigint, out loss_nano bigint, out balance_nano bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_account_id uuid;
  v_key_id uuid;
  v_held bigint;
  v_key_available bigint;
  v_available bigint;
  v_charged bigint;
begin
  update hold h
    set state = p_state, usage = p_usage, resolved_at = v_now,
      charged_nano = least(p_cost_nano, h.amount_nano), loss_nano = 0
    where h.id = p_hold_id and h.state = 'open' and (not p_only_expired or h.expires_at <= v_now)
    returning h.account_id, h.key_id, h.amount_nano, h.charged_nano
    into v_account_id, v_key_id, v_held, v_charged;
  if not found then
    select h.state, coalesce(h.charged_nano, 0), h.loss_nano, a.balance_nano
      into hold_state, charged_nano, loss_nano, balance_nano
      from hold h join account a on a.id = h.account_id
      where h.id = p_hold_id;
    outcome := case when found then 'already_resolved' else 'unknown_hold' end;
    return;
  end if;

  if v_key_id is not null then
    select key_available_nano(k, v_now) into v_key_available from api_key k where k.id = v_key_id for update;
  end if;
  loss_nano := 0;
  if p_cost_nano > v_held then
    select a.balance_nano - a.held_nano into v_available from account a where a.id = v_account_id for update;
    v_charged := least(p_cost_nano, v_held + least(v_available, v_key_available));
    loss_nano := p_cost_nano - v_charged;
    update hold h set charged_nano = v_charged, loss_nano = p_cost_nano - v_charged where h.id = p_hold_id;
  end if;

  if v_key_id is not null then
    -- A charge that began before another one opened the next period counts in neither's limit again.
    update api_key k
      set held_nano = k.held_nano - v_held,
        usage_nano = case
          when key_period_start(k.reset_period, v_now) > k.usage_period_start then v_charged
          when key_period_start(k.reset_period, v_now) = k.usage_period_start then k.usage_nano + v_charged
          else k.usage_nano
        end,
        usage_period_start = greatest(k.usage_period_start, key_period_start(k.reset_period, v_now))
      where k.id = v_key_id;
  end if;
  update account a
    set held_nano = a.held_nano - v_held, balance_nano = a.balance_nano - v_charged
    where a.id = v_account_id
    returning a.balance_nano into balance_nano;
  if v_charged > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values ('hold/' || p_hold_id, 0, v_account_id, '00000000-0000-4000-8000-000000000004', v_charged, 'charge', '{}');
  end if;
  if loss_nano > 0 then
    insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
      values ('hold/' || p_hold_id, 1, '00000000-0000-4000-8000-000000000005',
        '00000000-0000-4000-8000-000000000004', loss_nano, 'loss', '{}');
  end if;
  outcome := 'resolved';
  hold_state := p_state;
  charged_nano := v_charged;
end
$$`
