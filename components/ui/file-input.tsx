import type { ComponentProps } from 'react'

interface FileInputProps extends Pick<ComponentProps<'input'>, 'ref' | 'accept' | 'multiple' | 'aria-label'> {
  onFiles: (files: readonly File[]) => void
}

/**
 * Opens the browser's choice of files when it is clicked by a button of the page: the browser's own button uses the
 * browser's language, not the page's.
 */
export function FileInput({ onFiles, ...rest }: FileInputProps) {
  return (
    <input
      {...rest}
      hidden
      type="file"
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])])
        // Lets the person choose the same file again.
        currentTarget.value = ''
      }}
    />
  )
}
