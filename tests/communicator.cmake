# The communicator's contract on the backends that not every machine has.
file(GLOB communicator_cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/contract_communicator/*.cpp)
list(FILTER communicator_cases EXCLUDE REGEX "threads_test\\.cpp$")

if(NOT MPI_C_FOUND)
  message(STATUS "communicator_mpi is left out: no MPI library is installed")
elseif(TESSERA_SANITIZE)
  message(STATUS "communicator_mpi is left out: MPI libraries leak, which sanitizers take for ours")
else()
  add_executable(contract_communicator_mpi contract_communicator/mpi/main.cpp ${communicator_cases})
  target_link_libraries(contract_communicator_mpi PRIVATE tessera_distributed tessera_test_support GTest::gmock)
  add_test(NAME communicator_mpi COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 8
           $<TARGET_FILE:contract_communicator_mpi>)

  add_executable(failing_ranks contract_communicator/mpi/failing_ranks.cpp)
  target_link_libraries(failing_ranks PRIVATE tessera_distributed)
  tessera_test(communicator_mpi_failures SOURCES contract_communicator/mpi/failures_test.cpp LABELS slow)
  target_compile_definitions(communicator_mpi_failures PRIVATE
    TESSERA_MPIEXEC="${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG}" TESSERA_FAILING_RANKS="$<TARGET_FILE:failing_ranks>")
  add_dependencies(communicator_mpi_failures failing_ranks)

  # By the environment, so that another MPI's launcher does not stumble over Open MPI's options: as
  # root, more ranks than cores, and copies that containers allow.
  set_tests_properties(communicator_mpi communicator_mpi_failures PROPERTIES LABELS slow TIMEOUT 600 PROCESSORS 2
    ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_hwloc_base_binding_policy=none;OMPI_MCA_btl_vader_single_copy_mechanism=none;PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe")
endif()

if(NCCL_FOUND)
  tessera_test(contract_communicator_nccl SOURCES contract_communicator/nccl/nccl_test.cpp ${communicator_cases}
               LINK tessera_nccl NCCL::nccl LABELS slow)
endif()
