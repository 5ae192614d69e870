/** What the oldest browsers for which Next builds lack; it would bring along what all of them have. */
URL.canParse ??= (url, base) => {
  try {
    new URL(url, base)
    return true
  } catch {
    return false
  }
}

export {}
