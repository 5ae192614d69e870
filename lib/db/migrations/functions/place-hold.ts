/**
 * Holds up to `p_amount_nano`, at least `p_minimum_nano`, in one round trip.
 *
 * The race of two holds for the same cent is settled by the account's row lock: under READ COMMITTED
 * `for update` waits for the holder before, then reads the row as that one left it, so the amounts that
 * are compared are never stale. The guard in the update and the table's checks say the same again. The
 * idempotency key is looked up after the lock, so a parallel retry finds the first one's hold; the
 * unique index stands behind it.
 *
 * Locks are always taken in the order hold, key, account, here and in resolve_hold: no deadlock.
 */
export const PLACE_HOLD = `
create function place_hold(
  p_hold_id uuid, p_credential_kind text, p_secret_hash text,
  p_amount_nano bigint, p_minimum_nano bigint, p_ttl_seconds integer,
  p_idempotency_key_hash text, p_request_hash text,
  p_query_type text, p_query_source text, p_model_id text, p_price_snapshot jsonb,
  out outcome text, out hold_id uuid, out account_id uuid, out key_id uuid,
  out amount_nano bigint, out available_nano bigint, out hold_state text, out same_request boolean
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := clock_timestamp();
  v_account_id uuid;
  v_key_id uuid;
  v_key_available bigint;
  v_available bigint;
  v_amount bigint;
begin
  if p_credential_kind = 'api_key' then
    select k.id, k.account_id, key_available_nano(k, v_now) into v_key_id, v_account_id, v_key_available
      from api_key k
      where k.secret_hash = p_secret_hash and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > v_now)
      for update;
    select a.balance_nano - a.held_nano into v_available
      from account a where a.id = v_account_id for update;
  else
    select a.id, a.balance_nano - a.held_nano into v_account_id, v_available
      from account a where a.credit_id_hash = p_secret_hash for update;
  end if;
  if v_account_id is null then
    outcome := 'unknown_credential';
    return;
  end if;
  account_id := v_account_id;
  key_id := v_key_id;

  -- The same call again, after its connection was lost: the first one had been committed.
  select h.amount_nano into amount_nano from hold h where h.id = p_hold_id;
  if found then
    outcome := 'held';
    hold_id := p_hold_id;
    return;
  end if;
  if p_idempotency_key_hash is not null then
    select h.id, h.state, h.request_hash = p_request_hash, h.amount_nano
      into hold_id, hold_state, same_request, amount_nano
      from hold h
      where h.account_id = v_account_id and h.idempotency_key_hash = p_idempotency_key_hash;
    if found then
      outcome := 'duplicate';
      return;
    end if;
  end if;

  if v_key_available < p_minimum_nano then
    outcome := 'key_limit_reached';
    available_nano := least(v_available, v_key_available);
    return;
  end if;
  v_amount := least(p_amount_nano, v_available, v_key_available);
  if v_amount < p_minimum_nano then
    outcome := 'insufficient_credit';
    available_nano := v_available;
    return;
  end if;

  update account set held_nano = held_nano + v_amount
    where id = v_account_id and balance_nano - held_nano >= v_amount;
  if not found then
    raise exception 'account % cannot hold %', v_account_id, v_amount;
  end if;
  if v_key_id is not null then
    update api_key set held_nano = held_nano + v_amount where id = v_key_id;
  end if;
  insert into hold (id, account_id, key_id, amount_nano, idempotency_key_hash, request_hash,
      query_type, query_source, model_id, price_snapshot, expires_at)
    values (p_hold_id, v_account_id, v_key_id, v_amount, p_idempotency_key_hash, p_request_hash,
      p_query_type, p_query_source, p_model_id, p_price_snapshot, v_now + make_interval(secs => p_ttl_seconds));
  outcome := 'held';
  hold_id := p_hold_id;
  amount_nano := v_amount;
end
$$`
