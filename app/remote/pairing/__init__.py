"""Two Hearths that know each other: certificates, and the talk by which a code makes them trust these."""
