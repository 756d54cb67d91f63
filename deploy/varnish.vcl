# Caches public files of the service. Calls of the API pass through.
vcl 4.1;

backend default {
  .host = "service";
  .port = "8080";
  .first_byte_timeout = 130s;
}

sub vcl_recv {
  # Only the service reaches the socket for purges, which compose.media.yaml does not publish.
  if (req.method == "PURGE" && local.socket != "purge") {
    return (synth(405));
  }
  # The service ignores other parameters, and decodes the path. Only one URL of each file and version is cached, so that
  # a purge finds it.
  if (req.url !~ "^/media/[^%?]*(\?|$)") {
    return (pass);
  }
  if (req.url ~ "[?&]v=[0-9]+") {
    set req.url = regsub(req.url, "^([^?]*)\?(.*&)?v=([0-9]+).*$", "\1?v=\3");
    set req.url = regsub(req.url, "\?v=1$", "");
  } else {
    set req.url = regsub(req.url, "\?.*$", "");
  }
  if (req.method == "PURGE") {
    return (purge);
  }
  unset req.http.Cookie;
}

# Files do not depend on the host.
sub vcl_hash {
  hash_data(req.url);
  return (lookup);
}

sub vcl_backend_response {
  # A larger file would push all others out of the cache.
  if (beresp.http.Content-Length ~ "^[0-9]{9,}$") {
    set beresp.uncacheable = true;
  }
}
