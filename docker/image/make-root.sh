#!/bin/sh
# Creates the root file system of the image in $1: only Node and its libraries, without a shell or tools.
set -eu
root=$1
mkdir -p "$root/etc/ssl/certs" "$root/tmp" "$root/data/files" "$root/var/lib/dpkg/status.d"
chmod 1777 "$root/tmp"
chown -R 1000:1000 "$root/data"
echo 'node:x:1000:1000::/data:/sbin/nologin' >"$root/etc/passwd"
echo 'node:x:1000:' >"$root/etc/group"
cp -L /etc/nsswitch.conf /etc/os-release "$root/etc/"
# For NODE_EXTRA_CA_CERTS and other users of the system certificates; Node has its own.
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"; fi

cp --parents /usr/local/bin/node "$root"
libraries=$(ldd /usr/local/bin/node | grep -o '/[^ ]*')
libc_folder=$(dirname "$(echo "$libraries" | grep '/libc\.so')")
# The last two are needed by sharp's binaries.
for library in $libraries "$libc_folder/libresolv.so.2" "$libc_folder/librt.so.1"; do
  cp --parents -L "$library" "$root"
  package=$(dpkg -S "$library" 2>/dev/null || dpkg -S "/usr$library")
  package=${package%%:*}
  # Scanners read the Debian package versions from here.
  dpkg -s "$package" >"$root/var/lib/dpkg/status.d/$package"
  cp --parents "/usr/share/doc/$package/copyright" "$root" 2>/dev/null || true
done
