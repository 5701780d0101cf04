# The formula of Homebrew: it unpacks the programs of the release; that for macOS has the compiler only. Prepared; no tap
# has it yet.
class Trainc < Formula
  desc "Describes training clusters in a small typed language"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_intel do
      url "@RELEASE_URL@/trainc-@VERSION@-macos-x86_64.tar.gz"
      sha256 "@SHA256_macos_x86_64@"
    end
    on_arm do
      url "@RELEASE_URL@/trainc-@VERSION@-macos-aarch64.tar.gz"
      sha256 "@SHA256_macos_aarch64@"
    end
  end
  on_linux do
    on_intel do
      url "@RELEASE_URL@/trainc-@VERSION@-linux-x86_64.tar.gz"
      sha256 "@SHA256_linux_x86_64@"
    end
    on_arm do
      url "@RELEASE_URL@/trainc-@VERSION@-linux-aarch64.tar.gz"
      sha256 "@SHA256_linux_aarch64@"
    end
  end

  def install
    bin.install "bin/trainc", "bin/kubectl_complete-trainc"
    bin.install_symlink "trainc" => "kubectl-trainc"
    (libexec/"trainc").install "libexec/trainc/trainc-cluster" if OS.linux?
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/trainc"
    zsh_completion.install "share/zsh/site-functions/_trainc"
    fish_completion.install "share/fish/vendor_completions.d/trainc.fish"
    doc.install Dir["share/doc/trainc/*"]
    pkgshare.install "share/trainc/examples"
  end

  test do
    (testpath/"job.tj").write <<~PROGRAM
      job "hello" { image = "debian:12", command = ["true"], role worker { replicas = 2 } }
    PROGRAM
    assert_match "kind: Job", shell_output("#{bin}/trainc compile job.tj")
  end
end
