/**
 * When the period began in which a key's usage counts at `at`; weeks begin on Monday, days at midnight,
 * all in UTC, whatever the session's time zone.
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

/** What a key may still spend; null when it has no limit. A hold of an earlier period still counts as held. */
export const KEY_AVAILABLE = `
create or replace function key_available_nano(p_key api_key, p_at timestamptz) returns bigint
language sql stable as $$
  select greatest(0, p_key.usage_limit_nano - p_key.held_nano - case
    when key_period_start(p_key.reset_period, p_at) > p_key.usage_period_start then 0
    else p_key.usage_nano
  end)
  where p_key.usage_limit_nano is not null
$$`
