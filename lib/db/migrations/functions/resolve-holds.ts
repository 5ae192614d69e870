/**
 * Ends open holds, each once: `settled` at a cost, or `released` at none. `p_requests` is a JSON array;
 * `place` in the answer tells which of its elements a row belongs to.
 *
 * Racing finishers wait for each other at the account's row lock; the later one's update then finds
 * `state = 'open'` no longer true and changes nothing, and reads what the first one charged. The
 * transfer's primary key says the same again. Locks are taken as place_holds describes.
 *
 * Charged is the cost up to the hold plus what the account, and the key's limit, still have; the rest is
 * the operator's loss. A sweeper passes `only_expired`, so that a hold renewed meanwhile stays open.
 */
export const RESOLVE_HOLDS = `
create function resolve_holds(p_requests jsonb) returns table (
  place integer, outcome text, hold_state text, charged_nano bigint, loss_nano bigint, balance_nano bigint
) language plpgsql as $$
declare
  c_revenue constant uuid := '00000000-0000-4000-8000-000000000004';
  c_operator_loss constant uuid := '00000000-0000-4000-8000-000000000005';
  v_now timestamptz := clock_timestamp();
  v_request record;
  v_key_id uuid;
  v_held bigint;
  v_available bigint;
  v_key_available bigint;
begin
  for v_request in
    select r.*, (select h.account_id from hold h where h.id = r.hold_id) as account_id
      from jsonb_to_recordset(p_requests) as r(
        place integer, hold_id uuid, state text, cost_nano bigint, usage jsonb, only_expired boolean)
      order by account_id
  loop
    place := v_request.place;
    hold_state := null;
    charged_nano := null;
    loss_nano := null;
    balance_nano := null;
    if v_request.account_id is null then
      outcome := 'unknown_hold';
      return next;
      continue;
    end if;

    select a.balance_nano, a.balance_nano - a.held_nano into balance_nano, v_available
      from account a where a.id = v_request.account_id for update;
    select h.key_id, h.amount_nano into v_key_id, v_held from hold h where h.id = v_request.hold_id;
    v_key_available := null;
    if v_key_id is not null then
      select key_available_nano(k, v_now) into v_key_available from api_key k where k.id = v_key_id;
    end if;
    charged_nano := least(
      v_request.cost_nano, v_held + least(v_available, v_key_available));
    loss_nano := v_request.cost_nano - charged_nano;

    update hold h
      set state = v_request.state, usage = v_request.usage, resolved_at = v_now,
        charged_nano = resolve_holds.charged_nano, loss_nano = resolve_holds.loss_nano
      where h.id = v_request.hold_id and h.state = 'open'
        and (not v_request.only_expired or h.expires_at <= v_now);
    if not found then
      select h.state, coalesce(h.charged_nano, 0), h.loss_nano into hold_state, charged_nano, loss_nano
        from hold h where h.id = v_request.hold_id;
      outcome := 'already_resolved';
      return next;
      continue;
    end if;

    update account a
      set held_nano = a.held_nano - v_held,
        balance_nano = a.balance_nano - resolve_holds.charged_nano
      where a.id = v_request.account_id
      returning a.balance_nano into balance_nano;
    if v_key_id is not null then
      -- Where another charge has begun the next period meanwhile, this one belongs to the period before.
      update api_key k
        set held_nano = k.held_nano - v_held,
          usage_nano = case
            when key_period_start(k.reset_period, v_now) > k.usage_period_start
              then resolve_holds.charged_nano
            when key_period_start(k.reset_period, v_now) = k.usage_period_start
              then k.usage_nano + resolve_holds.charged_nano
            else k.usage_nano
          end,
          usage_period_start = greatest(k.usage_period_start, key_period_start(k.reset_period, v_now))
        where k.id = v_key_id;
    end if;
    if charged_nano > 0 then
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values ('hold/' || v_request.hold_id, 0, v_request.account_id, c_revenue, charged_nano, 'charge', '{}');
    end if;
    if loss_nano > 0 then
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values ('hold/' || v_request.hold_id, 1, c_operator_loss, c_revenue, loss_nano, 'loss', '{}');
    end if;
    outcome := 'resolved';
    hold_state := v_request.state;
    return next;
  end loop;
end
$$`
