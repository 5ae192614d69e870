import type { Prompt, PromptFields } from '@/lib/local/prompts/prompt'
import { createExternalStore } from '@/lib/local/storage/external-store'

/** The chat's instructions, the prompt library, the variables of one prompt, or the form for a new prompt. */
export type OpenPromptDialog =
  | 'chat'
  | 'prompts'
  | { readonly fill: Prompt }
  | { readonly make: PromptFields }

/** Opened from the composer, but rendered outside: a dialog must not be inside the composer's form. */
export const promptDialogStore = createExternalStore<OpenPromptDialog | 'closed'>('closed')
