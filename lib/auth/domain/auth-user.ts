import { NAME_FIELDS } from './service-fetch'

/** The person who is signed in, as pages and components need it: no tokens, nothing specific to a provider. */
export interface AuthUser {
  id: string
  email: string | null
  /** The address that will replace `email` once it is confirmed. */
  newEmail: string | null
  phone: string | null
  /** The name chosen by the person, otherwise the provider's. */
  name: string | null
  factors: AuthFactor[]
}

export interface AuthFactor {
  id: string
  factorType: FactorType
  friendlyName: string | null
  status: 'verified' | 'unverified'
}

export type FactorType = 'totp' | 'phone' | 'webauthn'

export type AssuranceLevel = 'aal1' | 'aal2'

const FACTOR_TYPES: readonly string[] = ['totp', 'phone', 'webauthn'] satisfies FactorType[]

/** The level that a person can and therefore must reach: aal2 as soon as there is a verified factor. */
export function requiredAssuranceLevel(factors: readonly AuthFactor[]): AssuranceLevel {
  return factors.some(factor => factor.status === 'verified') ? 'aal2' : 'aal1'
}

/** A factor as the auth service describes it; types unknown to this version are left out. */
interface ServiceFactor {
  id: string
  factor_type: string
  friendly_name?: string
  status: string
}

interface ServiceUser {
  id: string
  email?: string
  new_email?: string
  phone?: string
  user_metadata?: Record<string, unknown>
  factors?: ServiceFactor[]
}

export function toAuthUser(user: ServiceUser): AuthUser {
  return {
    id: user.id,
    email: user.email || null,
    newEmail: user.new_email || null,
    phone: user.phone || null,
    name: nameOf(user.user_metadata ?? {}),
    factors: (user.factors ?? []).flatMap(toAuthFactor),
  }
}

function nameOf(metadata: Record<string, unknown>): string | null {
  const names = NAME_FIELDS.map(field => metadata[field])
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? null
}

function toAuthFactor(factor: ServiceFactor): AuthFactor[] {
  if (!isFactorType(factor.factor_type)) return []
  return [
    {
      id: factor.id,
      factorType: factor.factor_type,
      friendlyName: factor.friendly_name || null,
      status: factor.status === 'verified' ? 'verified' : 'unverified',
    },
  ]
}

function isFactorType(type: string): type is FactorType {
  return FACTOR_TYPES.includes(type)
}
